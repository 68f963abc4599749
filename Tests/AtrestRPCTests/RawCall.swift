// SPDX-License-Identifier: Apache-2.0
// A client that breaks the rules: no message, two messages, false compression flags.

import AtrestHTTP2
import AtrestRPC
import AtrestSockets
import Synchronization

/// Makes one call on its own connection and returns its status.
func rawCall(
  _ address: SocketAddress, path: String, messages: [[UInt8]], claimsGzip: Bool = false,
  ends: Bool = true
) async throws -> Status {
  let shard = try Shard(label: "test.raw")
  let status: Status = await withCheckedContinuation { done in
    shard.async {
      let handler = RawCaller(
        path: path, messages: messages, claimsGzip: claimsGzip, ends: ends
      ) {
        done.resume(returning: $0)
      }
      SocketConnection.connect(
        to: address, on: shard, timeout: .seconds(60), handler: handler)
    }
  }
  await shard.stop()
  return status
}

private final class RawCaller: ByteStreamHandler {
  private let path: String
  private let messages: [[UInt8]]
  private let claimsGzip: Bool
  private let ends: Bool
  private var onStatus: ((Status) -> Void)?
  private var connection: ClientConnection?
  private var owner: (any ByteStreamOwner)?

  init(
    path: String, messages: [[UInt8]], claimsGzip: Bool, ends: Bool,
    onStatus: @escaping (Status) -> Void
  ) {
    self.ends = ends
    self.path = path
    self.messages = messages
    self.claimsGzip = claimsGzip
    self.onStatus = onStatus
  }

  func opened(by owner: any ByteStreamOwner, at now: Instant) {
    self.owner = owner
    let connection = ClientConnection(
      authority: "localhost", isSecure: false, compression: claimsGzip ? .gzip : nil, now: now)
    self.connection = connection
    guard let call = connection.start(path: path, timeout: .seconds(60), at: now) else { return }
    for message in messages { _ = connection.send(message, on: call) }
    if ends { connection.finishSending(call) }
  }

  func receive(_ bytes: UnsafeRawBufferPointer, at now: Instant) {
    guard let connection else { return }
    handle(connection.receive(bytes, at: now))
  }

  private func handle(_ events: ClientEvents) {
    for event in events {
      guard case .finished(_, let status) = event else { continue }
      onStatus?(status)
      onStatus = nil
      owner?.close()
    }
  }

  func endOfInput(at now: Instant) {
    if let connection { handle(connection.peerClosed(at: now)) }
  }
  func appendOutput(to buffer: inout [UInt8]) {
    let start = buffer.count
    connection?.appendOutput(to: &buffer)
    guard claimsGzip else { return }
    // Small messages are sent uncompressed: sets the flag in front of it.
    let plain: [UInt8] = [0, 0, 0, 0, 3, 1, 2, 3]
    guard buffer.count - start >= plain.count else { return }
    for index in start...(buffer.count - plain.count)
    where buffer[index..<index + plain.count].elementsEqual(plain) {
      buffer[index] = 1
    }
  }
  var isFinished: Bool { connection?.isFinished ?? false }
  var nextDeadline: Instant? { connection?.nextDeadline }
  func deadlineReached(at now: Instant) {
    if let connection { handle(connection.deadlineReached(at: now)) }
  }
  func closed(_ reason: CloseReason, at now: Instant) {
    onStatus?(Status(.unavailable, "\(reason)"))
    owner = nil
  }
}
