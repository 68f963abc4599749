// SPDX-License-Identifier: Apache-2.0
// Blocking sockets to test against, and simple handlers.

import AtrestHTTP2
import Dispatch
import Glibc
import Synchronization
import Testing

@testable import AtrestSockets

/// All tests that open sockets. Serialized, because some of them open very many.
@Suite(.serialized, .timeLimit(.minutes(20))) struct Sockets {}

/// A bug in the test, or a peer that misbehaved.
struct Unexpected: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

/// Runs blocking code outside Swift's cooperative threads.
func blocking<Value: Sendable>(
  _ body: @escaping @Sendable () throws -> Value
) async throws -> Value {
  try await withCheckedThrowingContinuation { done in
    DispatchQueue(label: "test.blocking").async { done.resume(with: Result(catching: body)) }
  }
}

extension Shard {
  /// Runs code on the shard and returns its result.
  func perform<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { done in
      async { done.resume(returning: body()) }
    }
  }
}

/// The number of open descriptors of this process.
func openDescriptors() throws -> Int {
  guard let folder = opendir("/proc/self/fd") else { throw Unexpected("no /proc") }
  defer { closedir(folder) }
  var count = 0
  while readdir(folder) != nil { count += 1 }
  return count - 3  // ".", "..", and the folder itself.
}

/// A blocking client socket with a timeout, so that a hang fails the test. The test closes it.
struct RawSocket: Sendable {
  let descriptor: CInt

  init(to address: SocketAddress) throws {
    descriptor = socket(address.family, CInt(SOCK_STREAM.rawValue), 0)
    guard descriptor >= 0 else { throw Unexpected("socket: errno \(errno)") }
    var limit = timeval(tv_sec: 20, tv_usec: 0)
    let size = socklen_t(MemoryLayout<timeval>.size)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, size)
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, size)
    let descriptor = descriptor
    let result = address.withSockaddr { connect(descriptor, $0, $1) == 0 ? 0 : errno }
    guard result == 0 else {
      let code = result ?? -1
      Glibc.close(descriptor)
      throw Unexpected("connect: errno \(code)")
    }
  }

  func send(_ bytes: [UInt8]) throws {
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes {
        Glibc.send(
          descriptor, $0.baseAddress.map { $0 + sent }, $0.count - sent, CInt(MSG_NOSIGNAL))
      }
      guard count > 0 else { throw Unexpected("send: errno \(errno)") }
      sent += count
    }
  }

  /// Sends what the kernel takes at once.
  func sendSome(_ bytes: [UInt8]) -> Int {
    Glibc.send(descriptor, bytes, bytes.count, CInt(MSG_NOSIGNAL) | CInt(MSG_DONTWAIT))
  }

  /// Receives `count` bytes; fewer only at the end of the stream.
  func receive(_ count: Int) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var filled = 0
    while filled < count {
      let got = bytes.withUnsafeMutableBytes {
        recv(descriptor, $0.baseAddress.map { $0 + filled }, $0.count - filled, 0)
      }
      guard got >= 0 else { throw Unexpected("recv: errno \(errno)") }
      if got == 0 { break }
      filled += got
    }
    return Array(bytes[..<filled])
  }

  func endOutput() { shutdown(descriptor, CInt(SHUT_WR)) }

  func close() { _ = Glibc.close(descriptor) }

  /// Closes with RST instead of FIN.
  func reset() {
    var option = linger(l_onoff: 1, l_linger: 0)
    setsockopt(
      descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    close()
  }
}

/// Echoes its input, buffering at most `limit` bytes. Ends when its peer does.
final class Echo: ByteStreamHandler {
  var held: [UInt8] = []
  var mostHeld = 0
  let limit: Int
  var inputEnded = false
  let onClosed: (CloseReason) -> Void

  init(limit: Int = 1 << 20, onClosed: @escaping (CloseReason) -> Void = { _ in }) {
    self.limit = limit
    self.onClosed = onClosed
  }

  func opened(by owner: any ByteStreamOwner, at now: Instant) {}
  func receive(_ bytes: UnsafeRawBufferPointer, at now: Instant) {
    held.append(contentsOf: bytes)
    mostHeld = max(mostHeld, held.count)
  }
  func endOfInput(at now: Instant) { inputEnded = true }
  func appendOutput(to buffer: inout [UInt8]) {
    buffer.append(contentsOf: held)
    held.removeAll(keepingCapacity: true)
  }
  var acceptsInput: Bool { held.count < limit }
  var isFinished: Bool { inputEnded && held.isEmpty }
  var nextDeadline: Instant? { nil }
  func deadlineReached(at now: Instant) {}
  func closed(_ reason: CloseReason, at now: Instant) { onClosed(reason) }
}

/// An echo server with its shards and listener. Ended by `stop`.
final class EchoServer: Sendable {
  let shards: [Shard]
  let listener: Listener
  let budget: ConnectionBudget

  init(
    on text: String = "127.0.0.1:0", shards count: Int = 1,
    budget: ConnectionBudget = ConnectionBudget(), echoLimit: Int = 1 << 20, starts: Bool = true
  ) throws {
    shards = try (0..<count).map { try Shard(label: "test.shard.\($0)") }
    self.budget = budget
    let sink = ReasonSink()
    listener = try Listener(
      on: try SocketAddress(parsing: text), shards: shards, budget: budget
    ) { _, _ in Echo(limit: echoLimit) { sink.add($0) } }
    self.sink = sink
    if starts { listener.start() }
  }

  let sink: ReasonSink
  var address: SocketAddress { listener.address }

  func stop() async {
    await listener.stop()
    for shard in shards { await shard.stop() }
  }
}

/// Collects the close reasons of connections.
final class ReasonSink: Sendable {
  private let state = Mutex<([CloseReason], [CheckedContinuation<CloseReason, Never>])>(([], []))

  func add(_ reason: CloseReason) {
    let waiter = state.withLock { state in
      guard let waiter = state.1.popLast() else {
        state.0.append(reason)
        return nil as CheckedContinuation<CloseReason, Never>?
      }
      return waiter
    }
    waiter?.resume(returning: reason)
  }

  /// Waits for the next reason.
  func next() async -> CloseReason {
    await withCheckedContinuation { done in
      let ready = state.withLock { state in
        if state.0.isEmpty {
          state.1.append(done)
          return nil as CloseReason?
        }
        return state.0.removeFirst()
      }
      if let ready { done.resume(returning: ready) }
    }
  }

  var count: Int { state.withLock { $0.0.count } }
}
