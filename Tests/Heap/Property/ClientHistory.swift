// SPDX-License-Identifier: Apache-2.0
// What servers do to a client's connections.

import AtrestFuzzing
import AtrestHTTP2
import AtrestLedger

/// One history of a client with a few connections.
struct ClientHistory {
  private static let steps = 1_000
  private static let warmingSteps = 60

  /// A connection, and the server at its other end.
  private final class Peer {
    let connection: ClientConnection
    var wire = RawWire(hearsClient: true)
    var calls: [CallID] = []

    init(_ codecs: Codecs, _ all: Balance, at now: Instant) {
      connection = ClientConnection(
        codecs: codecs, authority: "localhost", isSecure: false, now: now,
        holder: Balance(under: all), overhead: Balance(under: all))
    }
  }

  private let codecs = Codecs()
  private let all = Balance()
  private var peers: [Peer] = []
  private var random: Choices
  private let habits: Habits
  private var now = Instant(nanoseconds: 1_000_000_000_000)

  private init(seed: UInt64) {
    random = Choices(seed: seed)
    habits = Habits(actions: 8, &random)
  }

  /// - Returns: How often the heap was measured.
  static func run(seed: UInt64) throws -> Int {
    var history = ClientHistory(seed: seed)
    for _ in 0..<warmingSteps {
      _ = history.act()
      history.endTurn()
    }
    history.peers = []
    var scales = Scales()
    for number in warmingSteps..<steps {
      let name = history.act()
      history.endTurn()
      try scales.weigh(against: history.all.chargedBytes, after: "step \(number), \(name),")
    }
    history.peers = []
    guard history.all.chargedBytes == 0 else {
      throw Unaccounted(
        step: "the end of all connections", grown: 0, charged: history.all.chargedBytes)
    }
    try scales.weigh(against: 0, after: "the end")
    return scales.weighings
  }

  private mutating func endTurn() {
    for peer in peers { flush(peer) }
    peers.removeAll { $0.connection.isFinished }
  }

  private func flush(_ peer: Peer) {
    var output: [UInt8] = []
    peer.connection.appendOutput(to: &output)
    peer.wire.hear(output)
    take(peer.connection.pendingEvents, peer)
  }

  private func take(_ events: ClientEvents, _ peer: Peer) {
    for case .finished(let id, _) in events {
      peer.calls.removeAll { $0 == id }
      peer.wire.forget(UInt32(bitPattern: id.streamID))
    }
  }

  private mutating func receive(_ bytes: [UInt8], _ peer: Peer) {
    for start in stride(from: 0, to: bytes.count, by: 65_536) where peer.connection.acceptsInput {
      let events = bytes[start..<min(start + 65_536, bytes.count)].withUnsafeBytes {
        peer.connection.receive($0, at: now)
      }
      take(events, peer)
    }
  }

  private func call(_ peer: Peer) -> CallID? {
    guard let id = peer.connection.start(path: "/t.S/M", at: now) else { return nil }
    peer.calls.append(id)
    peer.wire.begun(UInt32(bitPattern: id.streamID))
    return id
  }

  /// - Returns: A description of the step.
  private mutating func act() -> String {
    if peers.count < habits.connections, peers.isEmpty || random.oneIn(20) {
      let peer = Peer(codecs, all, at: now)
      peers.append(peer)
      receive(Frames.settings + Frames.settingsAck, peer)
      return "a connection"
    }
    guard let peer = peers.randomElement(using: &random) else { return "nothing" }
    switch habits.next(&random) {
    case 0:
      guard let id = call(peer) else { return "nothing" }
      let request = [UInt8](repeating: 3, count: random.size(200_000))
      _ = peer.connection.send(request, on: id, end: random.oneIn(2))
      if random.oneIn(3) { peer.connection.pauseReading(id) }
      return "a call"
    case 1:
      guard let stream = peer.wire.open.randomElement(using: &random) else { return "nothing" }
      let fields = random.oneIn(4) ? Frames.trailers : Frames.response
      receive(peer.wire.headers(fields + RawWire.metadata(&random), on: stream, &random), peer)
      return "headers"
    case 2:
      receive(peer.wire.message(&random), peer)
      return "a message"
    case 3:
      receive(peer.wire.control(&random), peer)
      return "a frame of another kind"
    case 4:
      if let id = peer.calls.randomElement(using: &random) {
        take(peer.connection.resumeReading(id), peer)
      }
      return "reading"
    case 5 where random.oneIn(9):
      now = now.advanced(by: .milliseconds(random.below(8_000)))
      for peer in peers {
        if let due = peer.connection.nextDeadline, due <= now {
          take(peer.connection.deadlineReached(at: now), peer)
        }
      }
      return "some time"
    case 6 where random.oneIn(4):
      let streams = (0..<64).compactMap { _ in call(peer).map { UInt32(bitPattern: $0.streamID) } }
      flush(peer)
      receive(peer.wire.flood(Frames.response, on: streams, &random), peer)
      return "many answers"
    case 7 where random.oneIn(9):
      take(peer.connection.peerClosed(at: now), peer)
      return "a hang-up"
    default:
      return "nothing"
    }
  }
}
