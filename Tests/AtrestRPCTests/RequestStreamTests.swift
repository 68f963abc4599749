// SPDX-License-Identifier: Apache-2.0
// Request streams over real sockets: order, ends, backpressure from a slow server.

import AtrestHTTP2
import AtrestRPC
import AtrestTestSupport
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(20))) struct RequestStreamTests {
  @Test("a stream of requests has one answer, once it has ended")
  func sum() async throws {
    let world = try World()
    let (requests, response) = world.clientStream("Sum")
    world.service.mayRead.send(())
    for number in 1...100 { #expect(await requests.send([UInt8(number)])) }
    requests.finish()
    #expect(try await response.message() == Array("5050".utf8))
    #expect(world.server.statistics.callsByCode == [.ok: 1])
    await world.stop()
  }

  @Test("a stream of no requests has an answer, too")
  func empty() async throws {
    let world = try World()
    let (requests, response) = world.clientStream("Sum")
    world.service.mayRead.send(())
    requests.finish()
    #expect(try await response.message() == Array("0".utf8))
    await world.stop()
  }

  @Test("a caller faster than the server waits, and everything arrives")
  func backpressure() async throws {
    let world = try World()
    let sent = Mutex(0)
    // Windows count bytes on the wire, so compressible data would not fill them.
    var random = SystemRandomNumberGenerator()
    let noise = (0..<10_000).map { _ in UInt8.random(in: 0...255, using: &random) }
    let (requests, response) = world.clientStream("Sum")
    let sender = Task {
      for index in 0..<800 {
        guard await requests.send(noise) else { throw Unexpected("message \(index)") }
        sent.withLock { $0 = index + 1 }
      }
      requests.finish()
    }
    try await world.service.began.next()
    // Nobody reads. Other calls on the same connection are not blocked.
    for _ in 0..<300 { _ = try await world.unary("Unary", [1]) }
    // One window, one queue, and a few in the reader's buffer.
    #expect(sent.withLock { $0 } < 100)
    world.service.mayRead.send(())
    let sum = noise.reduce(0) { $0 + Int($1) } * 800
    #expect(try await response.message() == Array("\(sum)".utf8))
    try await sender.value
    await world.stop()
  }

  @Test("messages go both ways at once, in order, each way at its own pace")
  func talk() async throws {
    let world = try World()
    let (requests, responses) = world.channel.bidirectionalStream(
      "/\(TestService.name)/Talk", timeout: patience)
    let sender = Task {
      for index in 0..<1_000 {
        guard await requests.send([UInt8(index % 251)] + [UInt8](repeating: 3, count: 2_000))
        else { throw Unexpected("message \(index)") }
      }
      requests.finish()
    }
    var count = 0
    for try await message in responses {
      #expect(message.first == UInt8(count % 251))
      count += 1
    }
    #expect(count == 1_000)
    try await sender.value
    await world.stop()
  }

  @Test("a caller that does not read its answers is not read either, and loses none")
  func unreadAnswers() async throws {
    let world = try World()
    let (requests, responses) = world.channel.bidirectionalStream(
      "/\(TestService.name)/Amplify", timeout: patience)
    // Small enough to arrive at once, with answers many times longer than any queue.
    for index in 0..<100 { #expect(await requests.send([UInt8(index)])) }
    requests.finish()
    // The first answers have come, nobody takes them, and other calls go on.
    for _ in 0..<100 { _ = try await world.unary("Unary", [1]) }
    var next: UInt8 = 0
    for try await message in responses {
      #expect(message.count == 100_000 && message.first == next)
      next += 1
    }
    #expect(next == 100)
    await world.stop()
  }

  @Test("an answer before the end of the request ends the call; the writer is told")
  func answeredEarly() async throws {
    let world = try World()
    let (requests, response) = world.clientStream("Enough")
    #expect(await requests.send([1]))
    #expect(try await response.message() == [1])
    #expect(await !requests.send([2]))
    await world.stop()
  }

  @Test("what the handler throws is the answer, whatever was sent")
  func refused() async throws {
    let world = try World()
    let (requests, response) = world.clientStream("Refuse")
    await requests.send([1])
    let status = try await failure { () throws(Status) in try await response.message() }
    #expect(status == Status(.permissionDenied, "not today"))
    await world.stop()
  }

  @Test("a writer that is let go of before the end cancels the call: half is not the whole")
  func halfARequest() async throws {
    let world = try World()
    let response = try await { () async throws -> SingleResponse in
      let (requests, response) = world.clientStream("Sum")
      await requests.send([1])
      try await world.service.began.next()
      return response
    }()
    #expect(try await world.service.cancelled.next() == "request")
    let status = try await failure { () throws(Status) in try await response.message() }
    #expect(status.code == .cancelled)
    world.service.mayRead.send(())
    #expect(try await world.service.ends.next().code == .cancelled)
    await world.stop()
  }

  @Test("a request that is cut is never taken for whole by its reader")
  func cut() async throws {
    let world = try World()
    let (requests, response) = world.clientStream("Sum")
    await requests.send([1])
    try await world.service.began.next()
    response.cancel()
    #expect(try await world.service.cancelled.next() == "request")
    world.service.mayRead.send(())
    #expect(try await world.service.ends.next().code == .cancelled)
    await world.stop()
  }

  @Test("requests wait for the connection: what is sent before it is there arrives first")
  func beforeTheConnection() async throws {
    let world = try World()
    let (requests, responses) = world.channel.bidirectionalStream(
      "/\(TestService.name)/Chat", timeout: patience)
    #expect(await requests.send([1]))
    #expect(await requests.send([2]))
    requests.finish()
    var got: [[UInt8]] = []
    for try await message in responses { got.append(message) }
    #expect(got == [[1], [2]])
    await world.stop()
  }

  @Test("a task that is cancelled while it waits to send ends the call")
  func cancelledSender() async throws {
    let world = try World()
    let (requests, response) = world.clientStream("Sum")
    let sender = Task {
      let message = [UInt8](repeating: 1, count: 60_000)
      while await requests.send(message) {}
    }
    try await world.service.began.next()
    sender.cancel()
    await sender.value
    let status = try await failure { () throws(Status) in try await response.message() }
    #expect(status.code == .cancelled)
    await world.stop()
  }
}

extension World {
  fileprivate func clientStream(
    _ method: String
  ) -> (requests: RequestWriter, response: SingleResponse) {
    channel.clientStream("/\(TestService.name)/\(method)", timeout: patience)
  }
}
