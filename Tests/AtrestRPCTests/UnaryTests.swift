// SPDX-License-Identifier: Apache-2.0
// Unary calls over real sockets.

import AtrestHTTP2
import AtrestRPC
import AtrestSockets
import AtrestTestSupport
import Glibc
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(20))) struct UnaryTests {
  @Test(
    "a reply comes back as sent, small and large, plain and compressed, TCP and Unix socket",
    arguments: [Compression?.none, .gzip, .deflate], [false, true])
  func echo(compression: Compression?, overUnixSocket: Bool) async throws {
    let path = "/tmp/atrest-grpc-\(getpid())-\(UInt32.random(in: 0...(.max))).sock"
    let world = try World(on: overUnixSocket ? path : "127.0.0.1:0") { _ in
    } configureChannel: {
      $0.compression = compression
    }
    for size in [0, 1, 255, 256, 16_384, 65_536, 256 * 1024] {
      let request = (0..<size).map { UInt8(truncatingIfNeeded: $0 / 3) }
      #expect(try await world.unary("Unary", request) == request)
    }
    #expect(world.server.statistics.callsByCode == [.ok: 7])
    await world.stop()
  }

  @Test(
    "a handler learns whether its message came compressed", arguments: [nil, Compression.gzip])
  func compressed(compression: Compression?) async throws {
    let world = try World { _ in
    } configureChannel: {
      $0.compression = compression
    }
    // What is shorter than the threshold is sent as it is.
    for (size, isCompressed) in [(255, false), (256, compression != nil), (0, false)] {
      let request = [UInt8](repeating: 0, count: size)
      #expect(try await world.unary("Compressed", request) == [isCompressed ? 1 : 0])
    }
    await world.stop()
  }

  @Test("an answer from another thread arrives, alone and in batches")
  func later() async throws {
    let world = try World()
    #expect(try await world.unary("Later", [7]) == [7])
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<100 {
        group.addTask {
          let reply = try await world.unary("Batched", [8])
          #expect(reply == [8])
        }
      }
      try await group.waitForAll()
    }
    await world.stop()
  }

  @Test("ten thousand calls in a row, each answered with its own bytes")
  func sequential() async throws {
    let world = try World()
    for index in 0..<10_000 {
      let request = [UInt8(truncatingIfNeeded: index), UInt8(truncatingIfNeeded: index >> 8)]
      let reply = try await world.unary("Unary", request)
      guard reply == request else { throw Unexpected("call \(index) got another's answer") }
    }
    #expect(world.server.statistics.callsByCode == [.ok: 10_000])
    #expect(world.server.statistics.activeCalls == 0)
    await world.stop()
  }

  @Test("64 tasks with 20 calls at once each: more than the server takes at a time, all answered")
  func concurrent() async throws {
    let world = try World()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<64 {
        for call in 0..<20 {
          group.addTask {
            let request = [UInt8(task), UInt8(call)]
            let reply = try await world.unary(call % 2 == 0 ? "Unary" : "Later", request)
            guard reply == request else { throw Unexpected("\(request) got \(reply)") }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(world.server.statistics.callsByCode == [.ok: 1_280])
    await world.stop()
  }

  @Test("callbacks on the shard may start further calls")
  func callbacks() async throws {
    let world = try World()
    let done = Signal<Int>()
    let remaining = Atomic(5_000)
    @Sendable func next() {
      world.channel.startUnary("/\(TestService.name)/Unary", [1]) { result in
        guard case .success([1]) = result else { return done.send(-1) }
        let left = remaining.subtract(1, ordering: .relaxed).newValue
        if left == 0 { done.send(0) }
        if left > 0 { next() }
      }
    }
    for _ in 0..<20 { next() }
    #expect(try await done.next() == 0)
    await world.stop()
  }

  @Test("a status travels whole: code, words in any script, details")
  func statuses() async throws {
    let world = try World()
    let status = try await failure { () throws(Status) in try await world.unary("Fail", [9]) }
    #expect(status.code == .failedPrecondition)
    #expect(status.message == "äöü – 100 %\n🌱")
    #expect(status.details == [1, 2, 3, 9])
    let thrown = try await failure { () throws(Status) in try await world.unary("ThrowStatus") }
    #expect(thrown.code == .notFound)
    await world.stop()
  }

  @Test("what a handler threw is UNKNOWN to the caller, without its text, and known to the server")
  func handlerErrors() async throws {
    let world = try World()
    let status = try await failure { () throws(Status) in try await world.unary("Throw") }
    #expect(status.code == .unknown)
    #expect(!status.message.contains("secret"))
    #expect(try await world.service.handlerErrors.next() == "/test.v1.Echo/Throw")
    let dropped = try await failure { () throws(Status) in try await world.unary("Drop") }
    #expect(dropped.code == .internal)
    await world.stop()
  }

  @Test("a method nobody serves is UNIMPLEMENTED", arguments: ["/test.v1.Echo/No", "/x", "/"])
  func unknownMethod(path: String) async throws {
    let world = try World()
    let status = try await failure { () throws(Status) in
      try await world.channel.unary(path, [], timeout: patience)
    }
    #expect(status.code == .unimplemented)
    #expect(world.server.statistics.callsByCode == [.unimplemented: 1])
    await world.stop()
  }

  @Test("a unary method takes exactly one message", arguments: [0, 2])
  func messageCount(count: Int) async throws {
    let world = try World()
    let status = try await rawCall(
      world.address, path: "/test.v1.Echo/Unary", messages: Array(repeating: [1], count: count))
    #expect(status.code == .unimplemented)
    await world.stop()
  }

  @Test("a unary request that does not end is given up", arguments: ["Unary", "Count"])
  func endless(method: String) async throws {
    let world = try World { $0.limits.requestStall = .milliseconds(100) }
    let status = try await rawCall(
      world.address, path: "/\(TestService.name)/\(method)", messages: [[1]], ends: false)
    #expect(status == Status(.deadlineExceeded, "The request stopped arriving."))
    await world.stop()
  }

  @Test("a call is refused from its headers: its body is never looked at")
  func refused() async throws {
    let world = try World()
    let path = "/test.v1.Guarded/WhoAmI"
    let status = try await failure { () throws(Status) in
      try await world.channel.unary(path, [UInt8](repeating: 1, count: 200_000))
    }
    #expect(status == Status(.unauthenticated, "Pair this device first."))
    // The body would fail to inflate, but the refusal comes first.
    let raw = try await rawCall(
      world.address, path: path, messages: [[1, 2, 3]], claimsGzip: true)
    #expect(raw.code == .unauthenticated)
    #expect(world.service.guardedBodies.load(ordering: .relaxed) == 0)
    var metadata = Metadata()
    metadata.add("authorization", "Bearer willow")
    let reply = try await world.channel.unary(path, [], metadata: metadata)
    #expect(reply == Array("willow".utf8))
    await world.stop()
  }
}
