// SPDX-License-Identifier: Apache-2.0
// Streaming responses over real sockets: order, end of stream, slow readers.

import AtrestHTTP2
import AtrestRPC
import AtrestSockets
import AtrestTestSupport
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(20))) struct StreamTests {
  @Test(
    "messages come in order and end with OK, whichever thread sent them", arguments: [0, 1, 200])
  func count(count: UInt8) async throws {
    let world = try World()
    var got: [UInt8] = []
    for try await message in world.stream("Count", [count]) { got += message }
    #expect(got == Array(0..<count))
    #expect(world.server.statistics.callsByCode == [.ok: 1])
    await world.stop()
  }

  @Test("a stream that fails half way delivers what it sent, then says why")
  func failsHalfWay() async throws {
    let world = try World()
    var iterator = world.stream("ThrowAfter").makeAsyncIterator()
    #expect(try await iterator.next() == [1])
    let status = try await failure { () throws(Status) in try await iterator.next() }
    #expect(status == Status(.aborted, "half way"))
    await world.stop()
  }

  @Test("a writer that is let go of ends its call")
  func forgottenWriter() async throws {
    let world = try World()
    var iterator = world.stream("Forget").makeAsyncIterator()
    #expect(try await iterator.next() == [1])
    let status = try await failure { () throws(Status) in try await iterator.next() }
    #expect(status.code == .internal)
    await world.stop()
  }

  @Test("a stream that nobody reads any more is cancelled at the server")
  func letGo() async throws {
    let world = try World()
    do {
      var iterator = world.stream("Open").makeAsyncIterator()
      try await world.service.began.next()
      let writer = try #require(world.service.writers.withLock { $0.first })
      #expect(writer.send([5]) == .queued)
      #expect(try await iterator.next() == [5])
    }
    #expect(try await world.service.cancelled.next() == "stream")
    let writer = try #require(world.service.writers.withLock { $0.first })
    #expect(!writer.isOpen && writer.send([6]) == .closed)
    await world.stop()
  }

  @Test("cancelling the reading task ends the call with CANCELLED")
  func cancelled() async throws {
    let world = try World()
    let task = Task { () -> StatusCode? in
      do throws(Status) {
        for try await _ in world.stream("Open") {}
        return nil
      } catch {
        return error.code
      }
    }
    try await world.service.began.next()
    task.cancel()
    #expect(await task.value == .cancelled)
    #expect(try await world.service.cancelled.next() == "stream")
    await world.stop()
  }

  @Test("a reader that stops is cut with a typed status; what waits for it is bounded")
  func slowReader() async throws {
    let world = try World()
    var iterator = world.stream("Open").makeAsyncIterator()
    try await world.service.began.next()
    let writer = try #require(world.service.writers.withLock { $0.first })
    let message = [UInt8](repeating: 7, count: 16_384)
    var sent = 0
    while writer.send(message) == .queued {
      sent += message.count
      // Windows, queues and socket buffers together hold far less.
      guard sent < 64 << 20 else { throw Unexpected("nothing bounds the queue") }
    }
    #expect(writer.send(message) == .closed)
    #expect(try await world.service.cancelled.next() == "stream")
    var received = 0
    let status = try await failure { () throws(Status) in
      while let message = try await iterator.next() { received += message.count }
    }
    #expect(status.code == .resourceExhausted)
    #expect(received <= sent)
    await world.stop()
  }

  @Test("a reader slower than the server gets everything: the server waits")
  func backpressure() async throws {
    let world = try World { _ in
    } configureChannel: {
      $0.streamBufferMessages = 4
    }
    let sent = Mutex(0)
    // Windows count bytes on the wire, so the messages must not compress.
    var random = SystemRandomNumberGenerator()
    let noise = (0..<10_000).map { _ in UInt8.random(in: 0...255, using: &random) }
    var iterator = world.stream("Open").makeAsyncIterator()
    try await world.service.began.next()
    let writer = try #require(world.service.writers.withLock { $0.first })
    // Far more than writer, connection, windows and reader may buffer together.
    let sender = Task {
      for index in 0..<800 {
        let outcome = await writer.sendWhenReady([UInt8(index % 251)] + noise)
        guard outcome == .queued else { throw Unexpected("message \(index): \(outcome)") }
        sent.withLock { $0 = index + 1 }
      }
      writer.finish()
    }
    // Nothing is read, yet other calls on the same connection continue.
    for _ in 0..<300 { _ = try await world.unary("Unary", [1]) }
    // One window, one queue, and a few in the reader's buffer.
    #expect(sent.withLock { $0 } < 100)
    for index in 0..<800 {
      let message = try await iterator.next()
      #expect(message == [UInt8(index % 251)] + noise)
    }
    #expect(try await iterator.next() == nil)
    try await sender.value
    await world.stop()
  }

  @Test("both sides may talk at once")
  func bidirectional() async throws {
    let world = try World()
    let status = try await rawCall(
      world.address, path: "/test.v1.Echo/Chat", messages: [[1], [2], [3]])
    #expect(status.code == .ok)
    await world.stop()
  }
}
