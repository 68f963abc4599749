// SPDX-License-Identifier: Apache-2.0
// Handlers to run above TLS, and an owner without a socket.

import AtrestHTTP2
import AtrestSockets
import AtrestTLS

@testable import AtrestRPC

/// An encrypted handler that does nothing but record its calls.
class QuietHandler: EncryptedHandler {
  var owner: (any ByteStreamOwner)?
  var isOpened = false
  var failure: TLSError?
  var received = 0
  var inputEnds = 0
  var closeReason: CloseReason?
  var onClosed: (() -> Void)?
  /// The values of `acceptsInput` and `isFinished`.
  var wantsInput = true
  var isDone = false
  /// Sent at the next opportunity.
  var words: [UInt8] = []

  func handshakeBegan(on owner: any ByteStreamOwner) { self.owner = owner }
  func tlsFailed(_ error: TLSError, isEstablished: Bool) { failure = error }
  func opened(by owner: any ByteStreamOwner, at now: Instant) { isOpened = true }
  func receive(_ bytes: UnsafeRawBufferPointer, at now: Instant) { received += bytes.count }
  func endOfInput(at now: Instant) { inputEnds += 1 }
  func appendOutput(to buffer: inout [UInt8]) {
    buffer.append(contentsOf: words)
    words = []
  }
  var isFinished: Bool { isDone && words.isEmpty }
  var acceptsInput: Bool { wantsInput }
  var nextDeadline: Instant? { nil }
  func deadlineReached(at now: Instant) {}
  func closed(_ reason: CloseReason, at now: Instant) {
    closeReason = reason
    owner = nil
    onClosed?()
  }
}

/// Echoes its input. Buffers at most `limit` bytes and one delivery.
final class EchoHandler: QuietHandler {
  private let limit: Int
  private var hasEnded = false
  private(set) var mostHeld = 0

  init(limit: Int) { self.limit = limit }

  override func receive(_ bytes: UnsafeRawBufferPointer, at now: Instant) {
    words.append(contentsOf: bytes)
    mostHeld = max(mostHeld, words.count)
  }
  override func endOfInput(at now: Instant) { hasEnded = true }
  override var acceptsInput: Bool { words.count < limit }
  override var isFinished: Bool { hasEnded && words.isEmpty }
}

/// Sends `question` in pieces, collects as many response bytes, and finishes.
final class AskingHandler: QuietHandler {
  private static let pieceBytes = 128 * 1024
  private var question: ArraySlice<UInt8>
  private let count: Int
  private(set) var answer: [UInt8] = []

  init(_ question: [UInt8]) {
    self.question = question[...]
    count = question.count
  }

  override func receive(_ bytes: UnsafeRawBufferPointer, at now: Instant) {
    answer.append(contentsOf: bytes)
  }
  override func appendOutput(to buffer: inout [UInt8]) {
    buffer.append(contentsOf: question.prefix(Self.pieceBytes))
    question = question.dropFirst(Self.pieceBytes)
  }
  override var isFinished: Bool { answer.count >= count }
}

/// An owner without a socket, which never flushes by itself.
final class NoSocket: ByteStreamOwner {
  var isClosed = false
  func needsFlush() {}
  func close() { isClosed = true }
  let peer = SocketAddress.unix(path: "nowhere")
}
