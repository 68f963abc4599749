// SPDX-License-Identifier: Apache-2.0
// Specifies the memory limits per caller, and that revoking a grant ends all of a caller's calls.

import AtrestHTTP2
import AtrestRPC
import AtrestSockets
import AtrestTestSupport
import Synchronization
import Testing

/// A server that authenticates callers by name, with the grants it issued.
private final class Known: Sendable {
  let began = Signal<Void>()
  let cancelled = Signal<String>()
  let responders = Mutex<[Responder]>([])
  let writers = Mutex<[StreamWriter]>([])
  let grants = Mutex<[String: CallerGrant]>([:])
  let server: GRPCServer
  let address: SocketAddress
  static let answer = [UInt8](repeating: 1, count: 200_000)

  init(_ configure: (inout GRPCServer.Configuration) -> Void = { _ in }) throws {
    var configuration = GRPCServer.Configuration()
    configuration.shardCount = 1
    configuration.limits = .patient
    configure(&configuration)
    let late = Late()
    server = try GRPCServer(router: Self.router(late), configuration: configuration)
    address = try server.listen(on: try SocketAddress(parsing: "127.0.0.1:0"))
    late.known.withLock { $0 = self }
  }

  /// Lets handlers refer to an object created after them.
  private final class Late: Sendable {
    let known = Mutex<Known?>(nil)
    var value: Known? { known.withLock { $0 } }
  }

  private static func router(_ late: Late) -> RPCRouter {
    var router = RPCRouter()
    router.addService("t.Open") { methods in
      methods.unary("Small", maxMessageBytes: 100) { _, bytes in .reply([UInt8(bytes.count)]) }
      methods.unary("Large", maxMessageBytes: 100) { _, _ in .reply(Self.answer) }
      methods.unary("Medium", maxMessageBytes: 4_096) { _, bytes in .reply(bytes) }
    }
    router.addService(
      "t.Known",
      authorize: { head -> Authorization<Void> in
        guard let known = late.value, let name = head.metadata.text("authorization") else {
          return .refused(Status(.unauthenticated, "no name"))
        }
        let grant = known.grants.withLock { all in
          let grant = all[name] ?? CallerGrant()
          all[name] = grant
          return grant
        }
        return .granted((), grant)
      },
      methods: { methods in
        methods.unary("Kept") { call, _ in
          let head = call.head
          return .reply([UInt8(head.metadata.count), UInt8(head.request.authority.utf8.count)])
        }
        methods.unary("Now") { _, bytes in .reply(bytes) }
        methods.unary("Large") { _, _ in .reply(Self.answer) }
        methods.unary("Hang") { call, _ in
          guard let known = late.value else { return .fail(Status(.internal, "")) }
          let responder = call.responder()
          known.responders.withLock { $0.append(responder) }
          call.onCancel { known.cancelled.send("unary") }
          known.began.send(())
          return .later
        }
        methods.serverStreaming("Watch") { _, _, writer in
          guard let known = late.value else { return }
          writer.onCancel { known.cancelled.send("stream") }
          known.writers.withLock { $0.append(writer) }
          known.began.send(())
        }
      })
    return router
  }

  func channel() throws -> GRPCChannel { try GRPCChannel(to: .address(address)) }

  /// A connection that makes calls and never reads the responses. Without calls, it reads.
  /// - Parameter windowBytes: The flow-control window for the server; large, so that only the
  ///   socket blocks.
  func deaf(
    _ shard: Shard, _ method: String, of service: String = "t.Known", name: String, calls: Int,
    windowBytes: Int = 1 << 30, handshaken: Signal<Void> = Signal(), ended: Signal<Void> = Signal()
  ) {
    shard.async { [address] in
      SocketConnection.connect(
        to: address, on: shard, timeout: .seconds(60),
        handler: DeafCaller(
          path: "/\(service)/\(method)", name: name, calls: calls, windowBytes: windowBytes,
          handshaken: handshaken, ended: ended))
    }
  }

  /// A connection that makes calls with one message each and ends none of the requests.
  func unending(_ shard: Shard, _ path: String, calls: Int, bytes: Int) {
    shard.async { [address] in
      SocketConnection.connect(
        to: address, on: shard, timeout: .seconds(60),
        handler: UnendingCaller(path: path, calls: calls, bytes: bytes))
    }
  }

  /// Waits until at most `most` connections are open.
  func waitUntil(openConnections most: Int) async throws {
    try await AtrestTestSupport.waitUntil { server.statistics.activeConnections <= most }
  }

  func stop(_ channels: GRPCChannel...) async {
    for channel in channels { await channel.close() }
    await server.drain(grace: .zero)
  }
}

private func metadata(_ name: String) -> Metadata {
  var metadata = Metadata()
  metadata.add("authorization", name)
  return metadata
}

private final class DeafCaller: ByteStreamHandler {
  private let path: String
  private let name: String
  private let calls: Int
  private let windowBytes: Int
  private let handshaken: Signal<Void>
  private let ended: Signal<Void>
  private var connection: ClientConnection?
  /// Set after the server's SETTINGS are read; without them it would accept no calls.
  private var isDeaf = false

  init(
    path: String, name: String, calls: Int, windowBytes: Int, handshaken: Signal<Void>,
    ended: Signal<Void>
  ) {
    self.path = path
    self.name = name
    self.calls = calls
    self.windowBytes = windowBytes
    self.handshaken = handshaken
    self.ended = ended
  }

  func opened(by owner: any ByteStreamOwner, at now: Instant) {
    var limits = Limits()
    limits.streamWindowBytes = windowBytes
    limits.connectionWindowBytes = windowBytes
    connection = ClientConnection(limits: limits, authority: "x", isSecure: false, now: now)
  }

  func receive(_ bytes: UnsafeRawBufferPointer, at now: Instant) {
    guard let connection else { return }
    for _ in connection.receive(bytes, at: now) {}
    guard !isDeaf else { return }
    isDeaf = calls > 0
    handshaken.send(())
    for _ in 0..<calls {
      guard let call = connection.start(path: path, metadata: metadata(name), at: now) else {
        break
      }
      _ = connection.send([1], on: call, end: true)
    }
  }

  func endOfInput(at now: Instant) { ended.send(()) }
  func appendOutput(to buffer: inout [UInt8]) { connection?.appendOutput(to: &buffer) }
  var isFinished: Bool { false }
  var acceptsInput: Bool { !isDeaf }
  var nextDeadline: Instant? { nil }
  func deadlineReached(at now: Instant) {}
  func closed(_ reason: CloseReason, at now: Instant) {}
}

private final class UnendingCaller: ByteStreamHandler {
  private let path: String
  private let calls: Int
  private let bytes: Int
  private var connection: ClientConnection?
  private var hasBegun = false

  init(path: String, calls: Int, bytes: Int) {
    self.path = path
    self.calls = calls
    self.bytes = bytes
  }

  func opened(by owner: any ByteStreamOwner, at now: Instant) {
    connection = ClientConnection(authority: "x", isSecure: false, now: now)
  }

  func receive(_ bytes: UnsafeRawBufferPointer, at now: Instant) {
    guard let connection else { return }
    for _ in connection.receive(bytes, at: now) {}
    guard !hasBegun else { return }
    hasBegun = true
    for _ in 0..<calls {
      guard let call = connection.start(path: path, metadata: metadata("a"), at: now) else { break }
      _ = connection.send([UInt8](repeating: 1, count: self.bytes), on: call, end: false)
    }
  }

  func endOfInput(at now: Instant) {}
  func appendOutput(to buffer: inout [UInt8]) { connection?.appendOutput(to: &buffer) }
  var isFinished: Bool { false }
  var acceptsInput: Bool { true }
  var nextDeadline: Instant? { nil }
  func deadlineReached(at now: Instant) {}
  func closed(_ reason: CloseReason, at now: Instant) {}
}

@Suite("Bounds on callers", .timeLimit(.minutes(20)))
struct BoundsTests {
  @Test("a method may take less than others")
  func methodLimit() async throws {
    let known = try Known()
    let channel = try known.channel()
    let path = "/t.Open/Small"
    #expect(try await channel.unary(path, [UInt8](repeating: 1, count: 100)) == [100])
    let status = try await failure { () throws(Status) in
      try await channel.unary(path, [UInt8](repeating: 1, count: 101))
    }
    #expect(status.code == .resourceExhausted)
    await known.stop(channel)
  }

  @Test("of a call's headers nothing is kept once it may go on but its path and its deadline")
  func metadataIsDropped() async throws {
    let known = try Known()
    let channel = try known.channel()
    var sent = metadata("a")
    sent.add("x-large", String(repeating: "x", count: 8_000))
    #expect(try await channel.unary("/t.Known/Kept", [], metadata: sent) == [0, 0])
    await known.stop(channel)
  }

  @Test("a caller has so many calls under way, on all its connections; others have their own")
  func callsUnderWay() async throws {
    let known = try Known { $0.maxCallsPerGrant = 2 }
    let (one, two) = (try known.channel(), try known.channel())
    async let first = one.unary("/t.Known/Hang", [], metadata: metadata("a"))
    async let second = two.unary("/t.Known/Hang", [], metadata: metadata("a"))
    try await known.began.next()
    try await known.began.next()
    let status = try await failure { () throws(Status) in
      try await one.unary("/t.Known/Now", [], metadata: metadata("a"))
    }
    #expect(status.code == .resourceExhausted)
    #expect(try await one.unary("/t.Known/Now", [5], metadata: metadata("b")) == [5])
    known.responders.withLock { $0.removeFirst() }.reply([1])
    let answered = Signal<Void>()
    Task {
      // Whichever call ended, one slot is free.
      while (try? await one.unary("/t.Known/Now", [], metadata: metadata("a"))) == nil {}
      answered.send(())
    }
    try await answered.next()
    known.responders.withLock { $0.removeFirst() }.reply([2])
    _ = try await (first, second)
    await known.stop(one, two)
  }

  @Test(
    "revoking a caller's grant ends its calls, and leaves others on the same connection alone")
  func revoked() async throws {
    let known = try Known()
    let channel = try known.channel()
    async let gone = channel.unary("/t.Known/Hang", [], metadata: metadata("a"))
    try await known.began.next()
    async let stays = channel.unary("/t.Known/Hang", [], metadata: metadata("b"))
    try await known.began.next()
    known.grants.withLock { $0["a"] }?.revoke(Status(.unauthenticated, "over"))
    do {
      _ = try await gone
      Issue.record("the call went on")
    } catch let status as Status {
      #expect(status == Status(.unauthenticated, "over"))
    }
    #expect(try await known.cancelled.next() == "unary")
    // A call authorized just before the revocation is refused.
    let another = try known.channel()
    let late = try await failure { () throws(Status) in
      try await another.unary("/t.Known/Now", [], metadata: metadata("a"))
    }
    #expect(late.code == .unauthenticated)
    known.responders.withLock { $0.removeLast() }.reply([7])
    #expect(try await stays == [7])
    await known.stop(channel, another)
  }

  @Test("a caller that reads nothing is cut with its grant, its connection too")
  func revokedDeaf() async throws {
    let known = try Known()
    let shard = try Shard(label: "test.deaf")
    known.deaf(shard, "Watch", name: "a", calls: 1)
    try await known.began.next()
    let writer = try #require(known.writers.withLock { $0.first })
    // More than windows and socket buffers hold: some bytes wait and are never read.
    for _ in 0..<1_000 {
      if writer.send(Known.answer) != .queued { break }
    }
    #expect(try await known.cancelled.next() == "stream")
    known.grants.withLock { $0["a"] }?.revoke(Status(.unauthenticated, "over"))
    try await known.waitUntil(openConnections: 0)
    await known.stop()
    await shard.stop()
  }

  @Test(
    "when all connections hold too much, those that hold most for longest go; others are served")
  func held() async throws {
    let known = try Known { configuration in
      configuration.maxBufferedBytes = 1
      configuration.limits.maxUnsentBytes = 8 * 1024 * 1024
    }
    let channel = try known.channel()
    let shard = try Shard(label: "test.deaf")
    // Three times 8 MiB exceed a shard's 10 MiB.
    for index in 0..<3 {
      known.deaf(shard, "Large", name: "\(index)", calls: 80)
    }
    let large = try await channel.unary("/t.Known/Large", [], metadata: metadata("z"))
    #expect(large == Known.answer)
    try await waitUntil { known.server.statistics.totalCalls >= 3 * 80 + 1 }
    // The three and the channel's own: two of the three are closed.
    try await known.waitUntil(openConnections: 2)
    let again = try await channel.unary("/t.Known/Large", [], metadata: metadata("z"))
    #expect(again == Known.answer)
    await known.stop(channel)
    await shard.stop()
  }

  @Test("when connections hold too much, unauthenticated ones go before authenticated ones")
  func heldByStrangers() async throws {
    let known = try Known { configuration in
      configuration.maxBufferedBytes = 1
      configuration.limits.maxUnsentBytes = 64 * 1024 * 1024
      configuration.limits.streamQueueBytes = 16 * 1024 * 1024
      configuration.streamWriterBytes = 16 * 1024 * 1024
    }
    let shard = try Shard(label: "test.deaf")
    known.deaf(shard, "Watch", name: "a", calls: 1, windowBytes: 65_535)
    try await known.began.next()
    let writer = try #require(known.writers.withLock { $0.first })
    // 8 MB of a shard's 10 MiB: more than any other connection holds, and for longer.
    for _ in 0..<40 { #expect(writer.send(Known.answer) == .queued) }
    known.deaf(shard, "Large", of: "t.Open", name: "x", calls: 80, windowBytes: 65_535)
    // Another 16 MB do not fit, so the unauthenticated connection is closed.
    try await waitUntil { known.server.statistics.totalCalls > 0 }
    try await known.waitUntil(openConnections: 1)
    #expect(writer.isOpen)
    await known.stop()
    await shard.stop()
  }

  @Test("requests that do not end have little room where nobody has proved who it is")
  func unfinished() async throws {
    let known = try Known()
    let shard = try Shard(label: "test.unending")
    known.unending(shard, "/t.Open/Medium", calls: 40, bytes: 4_000)
    try await waitUntil { known.server.statistics.totalCalls >= 24 }
    // Sixteen of them fill 64 KiB.
    #expect(known.server.statistics.activeCalls <= 16)
    #expect(known.server.statistics.callsByCode[.ok] == nil)
    await known.stop()
    await shard.stop()
  }

  @Test("requests that do not end have more room where somebody has proved who it is")
  func unfinishedTrusted() async throws {
    let known = try Known()
    let shard = try Shard(label: "test.unending")
    known.unending(shard, "/t.Known/Now", calls: 40, bytes: 4_000)
    try await waitUntil { known.server.statistics.activeCalls == 40 }
    #expect(known.server.statistics.totalCalls == 0)
    await known.stop()
    await shard.stop()
  }

  @Test("a connection without proof gives its place to a new one; one with proof does not")
  func places() async throws {
    let known = try Known { $0.maxUnauthenticatedConnections = 1 }
    let shard = try Shard(label: "test.idle")
    let (handshaken, ended) = (Signal<Void>(), Signal<Void>())
    known.deaf(shard, "Watch", name: "a", calls: 1)
    try await known.began.next()
    let idle = try known.channel()
    #expect(try await idle.unary("/t.Open/Small", [1]) == [1])
    known.deaf(shard, "Watch", name: "b", calls: 0, handshaken: handshaken, ended: ended)
    try await handshaken.next()
    // A third unauthenticated connection evicts the second.
    let other = try known.channel()
    #expect(try await other.unary("/t.Open/Small", [1, 2]) == [2])
    try await ended.next()
    // The oldest connection is authenticated and therefore still open.
    let writer = try #require(known.writers.withLock { $0.first })
    #expect(writer.isOpen)
    await known.stop(idle, other)
    await shard.stop()
  }
}
