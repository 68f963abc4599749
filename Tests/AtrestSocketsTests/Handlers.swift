// SPDX-License-Identifier: Apache-2.0
// Misbehaving handlers.

import AtrestHTTP2
import Synchronization

@testable import AtrestSockets

/// A handler that does nothing.
class QuietHandler: ByteStreamHandler {
  func opened(by owner: any ByteStreamOwner, at now: Instant) {}
  func receive(_ bytes: UnsafeRawBufferPointer, at now: Instant) {}
  func endOfInput(at now: Instant) {}
  func appendOutput(to buffer: inout [UInt8]) {}
  var isFinished: Bool { false }
  var acceptsInput: Bool { true }
  var nextDeadline: Instant? { nil }
  func deadlineReached(at now: Instant) {}
  func closed(_ reason: CloseReason, at now: Instant) {}
}

/// Counts the bytes a handler has produced.
final class Gauge: Sendable {
  private let count = Atomic(0)
  var produced: Int { count.load(ordering: .relaxed) }
  func add(_ bytes: Int) { count.wrappingAdd(bytes, ordering: .relaxed) }
}

/// Sends `total` bytes, whether or not the peer reads them.
final class Firehose: QuietHandler {
  static let helping = 256 * 1024
  private static let bytes = [UInt8](repeating: 8, count: helping)
  private var left: Int
  private let gauge: Gauge
  private let onClosed: (CloseReason) -> Void

  init(total: Int, gauge: Gauge, onClosed: @escaping (CloseReason) -> Void = { _ in }) {
    left = total
    self.gauge = gauge
    self.onClosed = onClosed
  }

  override func appendOutput(to buffer: inout [UInt8]) {
    let count = min(left, Self.helping)
    buffer.append(contentsOf: Self.bytes[..<count])
    left -= count
    gauge.add(count)
  }
  override var isFinished: Bool { left == 0 }
  override func closed(_ reason: CloseReason, at now: Instant) { onClosed(reason) }
}

/// Accepts `limit` bytes and never releases them.
final class Greedy: QuietHandler {
  private let limit: Int
  private let onCount: (Int) -> Void
  private var held = 0

  init(limit: Int, onCount: @escaping (Int) -> Void) {
    self.limit = limit
    self.onCount = onCount
  }

  override func receive(_ bytes: UnsafeRawBufferPointer, at now: Instant) {
    held += bytes.count
    onCount(held)
  }
  override var acceptsInput: Bool { held < limit }
}

/// Sends something after the first byte it receives, and finishes.
final class OneAnswer: QuietHandler {
  private var bytes: [UInt8]
  private var heard = false
  private let onClosed: (CloseReason) -> Void

  init(bytes: [UInt8], onClosed: @escaping (CloseReason) -> Void) {
    self.bytes = bytes
    self.onClosed = onClosed
  }

  override func receive(_ bytes: UnsafeRawBufferPointer, at now: Instant) { heard = true }
  override func appendOutput(to buffer: inout [UInt8]) {
    guard heard else { return }
    buffer.append(contentsOf: bytes)
    bytes = []
  }
  override var isFinished: Bool { heard && bytes.isEmpty }
  override func closed(_ reason: CloseReason, at now: Instant) { onClosed(reason) }
}

/// Sends a question, waits for a response of `length` bytes, and closes.
final class Asker: QuietHandler {
  private var question: [UInt8]
  private let length: Int
  private var answer: [UInt8] = []
  private let onAnswer: ([UInt8]) -> Void
  private var owner: (any ByteStreamOwner)?

  init(question: [UInt8], onAnswer: @escaping ([UInt8]) -> Void) {
    self.question = question
    length = question.count
    self.onAnswer = onAnswer
  }

  override func opened(by owner: any ByteStreamOwner, at now: Instant) { self.owner = owner }
  override func appendOutput(to buffer: inout [UInt8]) {
    guard owner != nil else { return }
    buffer.append(contentsOf: question)
    question = []
  }
  override func receive(_ bytes: UnsafeRawBufferPointer, at now: Instant) {
    answer.append(contentsOf: bytes)
    if answer.count >= length { owner?.close() }
  }
  override func closed(_ reason: CloseReason, at now: Instant) {
    owner = nil
    onAnswer(answer)
  }
}
