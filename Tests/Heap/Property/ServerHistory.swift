// SPDX-License-Identifier: Apache-2.0
// What clients do to a server, from their connections' bytes to a service's calls, without a
// socket.

import AtrestFuzzing
import AtrestHTTP2
import AtrestLedger
import AtrestRPC
import AtrestSockets
import Synchronization

/// A service whose calls stay open until a history answers them.
private final class Service: Sendable {
  let responders = Mutex<[Responder]>([])
  let writers = Mutex<[StreamWriter]>([])
  private let device = CallerGrant()

  func router() -> RPCRouter {
    let service = self
    var router = RPCRouter()
    router.addService("t.Open") { methods in
      methods.unary("Echo", maxMessageBytes: 4096) { _, bytes in .reply(bytes) }
    }
    router.addService(
      "t.Known",
      authorize: { head -> Authorization<Void> in
        head.metadata.text("authorization") == nil
          ? .refused(Status(.unauthenticated, "")) : .granted((), service.device)
      },
      methods: { methods in
        methods.unary("Hang") { call, _ in
          let responder = call.responder()
          service.responders.withLock { $0.append(responder) }
          return .later
        }
        methods.serverStreaming("Watch") { _, _, writer in
          service.writers.withLock { $0.append(writer) }
        }
        methods.bidirectional("Both") { _, writer in
          { event in if case .message(let bytes) = event { _ = writer.send(bytes) } }
        }
      })
    return router
  }

  /// Releases cancelled calls, as real handlers do.
  func forget() {
    responders.withLock { $0.removeAll { !$0.isAwaited } }
    writers.withLock { $0.removeAll { !$0.isOpen } }
  }

  func letGo() {
    let responders = responders.withLock { all in
      defer { all = [] }
      return all
    }
    for responder in responders { responder.fail(Status(.unavailable, "")) }
    writers.withLock { $0 = [] }
  }
}

/// The owner of a connection, like a socket: it takes output while its peer reads and the kernel
/// has room, and afterwards buffers one piece.
private final class Peer: ByteStreamOwner {
  let handler: any ByteStreamHandler
  let peer: SocketAddress
  var wire = RawWire(hearsClient: false)
  var isReading = true
  var kernelRoom = 400
  private var output: [UInt8] = []
  private var isClosed = false

  init(_ server: GRPCServer, _ peer: SocketAddress, at now: Instant) {
    self.peer = peer
    handler = server.connection(from: peer)
    handler.opened(by: self, at: now)
  }

  func needsFlush() {}
  func close() { isClosed = true }

  func send(_ bytes: [UInt8], at now: Instant) {
    for start in stride(from: 0, to: bytes.count, by: 65_536) where handler.acceptsInput {
      bytes[start..<min(start + 65_536, bytes.count)].withUnsafeBytes {
        handler.receive($0, at: now)
      }
    }
  }

  /// Ends the turn. False if the connection is over.
  func flush() -> Bool {
    while take(), !isClosed {
      handler.appendOutput(to: &output)
      if output.isEmpty { break }
    }
    return !isClosed && !(handler.isFinished && output.isEmpty)
  }

  /// - Returns: Whether nothing is left.
  private func take() -> Bool {
    if output.isEmpty { return true }
    guard isReading || output.count <= kernelRoom else { return false }
    kernelRoom -= output.count
    wire.hear(output)
    output = []
    return true
  }
}

/// One history of a server. Bound to its shard.
final class ServerHistory: @unchecked Sendable {
  // Sendable: after its start it is touched on its shard only.
  private static let steps = 1_000
  private static let warmingSteps = 60
  private static let methods = [
    "/t.Open/Echo", "/t.Known/Hang", "/t.Known/Watch", "/t.Known/Both", "/t.No/Such",
  ]

  /// A file that takes a peer many turns to read, with as many fields as the web app's.
  private static let site = WebSite(
    [
      WebFile(
        path: "/app.js", contentType: "text/javascript",
        bytes: [UInt8](repeating: 7, count: 300_000), tag: String(repeating: "7", count: 32))
    ],
    fields: (0..<6).map { ("x-policy-\($0)", String(repeating: "p", count: 60)) })

  private let server: GRPCServer
  private let service = Service()
  private var random: Choices
  private let habits: Habits
  private var peers: [Peer] = []
  private var scales: Scales?
  private var now = Instant(nanoseconds: 1_000_000_000_000)

  /// - Returns: How often the heap was measured.
  static func run(seed: UInt64) async throws -> Int {
    let history = try ServerHistory(seed: seed)
    let shard = history.server.shards[0]
    let result = await withCheckedContinuation { done in
      shard.async { history.step(0) { done.resume(returning: $0) } }
    }
    await history.server.drain(grace: .zero)
    return try result.get()
  }

  private init(seed: UInt64) throws {
    random = Choices(seed: seed)
    habits = Habits(actions: 11, &random)
    var configuration = GRPCServer.Configuration()
    configuration.shardCount = 1
    configuration.limits.maxConcurrentStreams = 1_000
    configuration.maxCallsPerGrant = 100_000
    configuration.site = Self.site
    server = try GRPCServer(router: service.router(), configuration: configuration)
  }

  /// Runs one step, and the others in the shard's next turn. Blocks that a step posts to the shard
  /// run before them.
  private func step(_ number: Int, _ done: @escaping @Sendable (Result<Int, any Error>) -> Void) {
    do {
      if number == Self.warmingSteps {
        warm()
        closeAll()
        scales = Scales()
      }
      if number == Self.steps { closeAll() }
      if number > Self.steps {
        try end()
        return done(.success(scales?.weighings ?? 0))
      }
      let name = number == Self.steps ? "the end" : act()
      endTurn()
      try scales?.weigh(against: charged, after: "step \(number), \(name),")
    } catch {
      closeAll()
      return done(.failure(error))
    }
    server.shards[0].async { self.step(number + 1, done) }
  }

  /// Creates the shard's zlib streams and output buffers, which it keeps.
  private func warm() {
    for encoding in ["gzip", "deflate"] {
      let peer = Peer(server, .ipv4(octets: [10, 0, 0, 9], port: 1), at: now)
      peers.append(peer)
      let echo = Frames.request("/t.Open/Echo") + [("grpc-accept-encoding", encoding)]
      let both =
        Frames.request("/t.Known/Both", encoding: encoding) + [("authorization", "Bearer 1")]
      let body = [UInt8](repeating: 1, count: 4_000)
      peer.send(
        Frames.preface + Frames.settings + Frames.headers(1, echo)
          + Frames.data(1, Frames.message(body), end: true) + Frames.headers(3, both)
          + Frames.data(3, Frames.message(body, isCompressed: true)), at: now)
      _ = peer.flush()
    }
  }

  private var charged: Int { server.holder.chargedBytes + server.overhead.chargedBytes }

  private func end() throws {
    guard charged == 0 else {
      throw Unaccounted(step: "the end of all connections", grown: 0, charged: charged)
    }
  }

  private func endTurn() {
    service.forget()
    peers.removeAll { peer in
      guard !peer.flush() else { return false }
      peer.handler.closed(.closedHere, at: now)
      return true
    }
  }

  private func closeAll() {
    for peer in peers { peer.handler.closed(.closedHere, at: now) }
    peers = []
    service.letGo()
  }

  /// - Returns: A description of the step.
  private func act() -> String {
    if peers.count < habits.connections, peers.isEmpty || random.oneIn(9) {
      connect().isReading = !habits.isDeaf
      return "a connection"
    }
    guard let peer = peers.randomElement(using: &random) else { return "nothing" }
    switch habits.next(&random) {
    case 0:
      peer.send(peer.wire.headers(call(), &random), at: now)
      return "headers"
    case 1:
      peer.send(peer.wire.message(&random), at: now)
      return "a message"
    case 2:
      peer.send(peer.wire.control(&random), at: now)
      return "a frame of another kind"
    case 3:
      peer.isReading.toggle()
      return "reading or not"
    case 4 where random.oneIn(9):
      peer.handler.closed(.reset, at: now)
      peers.removeAll { $0 === peer }
      return "a hang-up"
    case 5 where random.oneIn(9):
      now = now.advanced(by: .milliseconds(random.below(8_000)))
      for peer in peers {
        if let due = peer.handler.nextDeadline, due <= now {
          peer.handler.deadlineReached(at: now)
        }
      }
      return "some time"
    case 6:
      let answer = [UInt8](repeating: 5, count: random.size(random.oneIn(2) ? 60_000 : 250_000))
      for responder in some(of: service.responders.withLock { $0 }) { responder.reply(answer) }
      return "answers"
    case 7:
      let message = [UInt8](repeating: 6, count: random.size(60_000))
      for writer in some(of: service.writers.withLock { $0 }) { _ = writer.send(message) }
      return "messages of streams"
    case 8 where random.oneIn(4):
      flood(peer, calls: 48, of: random.below(5))
      return "many calls"
    case 9 where random.oneIn(20):
      crowd()
      return "a crowd that calls once and does not read"
    default:
      peer.send(peer.wire.headers(call(), &random), at: now)
      peer.send(peer.wire.message(&random), at: now)
      return "a call"
    }
  }

  private func connect() -> Peer {
    let octets: [UInt8] = [10, 0, 0, UInt8(random.below(5))]
    let peer = Peer(server, .ipv4(octets: octets, port: 1), at: now)
    peers.append(peer)
    peer.send(Frames.preface + Frames.settings + Frames.settingsAck, at: now)
    return peer
  }

  /// Checks that no peer buffers more than is in transit to it.
  private func crowd() {
    closeAll()
    for _ in 0..<habits.connections {
      let peer = connect()
      peer.isReading = false
      flood(peer, calls: 1, of: 1)
    }
    let answer = [UInt8](repeating: 5, count: 60_000)
    for responder in service.responders.withLock({ $0 }) { responder.reply(answer) }
  }

  private func flood(_ peer: Peer, calls: Int, of method: Int) {
    let fields =
      method < 4
      ? Frames.request(Self.methods[method]) + [("authorization", "Bearer 1")]
      : Frames.fileRequest("/app.js").filter { $0.0 != "accept-encoding" }
    let streams = (0..<calls).map { _ in peer.wire.begin() }
    peer.send(peer.wire.flood(fields, on: streams, &random), at: now)
  }

  /// One element, or all.
  private func some<Element>(of all: [Element]) -> [Element] {
    random.oneIn(3) ? all : all.randomElement(using: &random).map { [$0] } ?? []
  }

  private func call() -> [(String, String)] {
    if random.oneIn(8) {
      // Without gzip the file is long.
      let fields = Frames.fileRequest(random.oneIn(4) ? "/other" : "/app.js")
      return fields.filter { $0.0 != "accept-encoding" } + RawWire.metadata(&random)
    }
    let method = Self.methods[random.below(Self.methods.count)]
    var fields =
      random.oneIn(4)
      ? Frames.webRequest(method, from: random.oneIn(8) ? "cross-site" : "same-origin")
      : Frames.request(method, encoding: random.oneIn(6) ? "gzip" : nil)
    if !random.oneIn(4) { fields.append(("authorization", "Bearer 1")) }
    if random.oneIn(3) { fields.append(("grpc-accept-encoding", "gzip")) }
    return fields + RawWire.metadata(&random)
  }
}
