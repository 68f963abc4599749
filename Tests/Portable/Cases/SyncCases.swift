// SPDX-License-Identifier: Apache-2.0
// The wire's codec, and whole syncs run by an owner that has no tasks.

import AtrestReplication
import AtrestSync
import AtrestWire

extension PortableCase {
  static func messages() -> [PortableCase] {
    let stamp = Stamp(
      time: HybridTime(rawValue: 0x0190_0000_0000_0001), replica: ReplicaID(rawValue: 7))
    var record = Record(key: RecordKey(kind: .water, id: Array(0..<16)))
    record.set(
      Register(
        field: WaterField.intake, stamp: stamp,
        value: WaterMessage(intake: WaterMessage.Intake(at: 5, millilitres: 250)).encoded))
    let request = ExchangeRequest(
      cursor: Cursor(commit: 9, sequence: 3), offers: [record.encoded],
      deviceTime: WallTime(milliseconds: 1_700_000_000_000))
    var fields = RecordFields()
    fields[text: 2] = "ä"
    fields[number: 3] = 0.5
    return [
      PortableCase(
        "a record's bytes", Hexadecimal.encoded(record.encoded),
        "08021210000102030405060708090a0b0c0d0e0f1a1f080212120901000000000090011107000000000000002207"
          + "1205080510fa01"),
      PortableCase(
        "a request comes back as it was",
        "\((try? ExchangeRequest(decoding: request.encoded)) == request)", "true"),
      PortableCase(
        "a request that is cut is none",
        "\((try? ExchangeRequest(decoding: Array(request.encoded.dropLast()))) == nil)", "true"),
      PortableCase(
        "fields of an app's own kind",
        "\(fields[text: 2] ?? "none") \(fields[number: 3] ?? 0) \(fields[integer: 2] ?? -1)",
        "ä 0.5 -1"),
      PortableCase(
        "a fingerprint", "\(Fingerprint.hash(ofRecord: record.encoded) != 0)", "true"),
    ]
  }

  static func syncs() -> [PortableCase] {
    var world = World()
    world.waiting = [1, 2, 3]
    world.feed = [[1], [2], [3], [4]]
    var quiet = World()
    return [
      PortableCase(
        "a sync", world.sync(), "3 pushed, 4 pulled, 2 exchanges; left 0, cursor 4"),
      PortableCase(
        "a sync with nothing to do", quiet.sync(),
        "0 pushed, 0 pulled, 1 exchanges; left 0, cursor 0"),
    ]
  }
}

/// A replica of numbers and its server, in pages of two.
private struct World {
  var position = SyncPosition()
  var waiting: [UInt64] = []
  var feed: [[UInt8]] = []

  /// Runs a sync by carrying out one action after another.
  mutating func sync() -> String {
    let now = WallTime(milliseconds: 1)
    var cycle = SyncCycle()
    var actions = cycle.begin()
    while !actions.isEmpty {
      switch actions.removeFirst() {
      case .perform(let request):
        actions += cycle.handle(.stored(reply(to: request)), at: now)
      case .send(let request, _):
        actions += cycle.handle(
          .answered(answer(to: request), at: Reading(now: now, waited: 0)), at: now)
      case .backOff: actions += cycle.handle(.waited, at: now)
      case .report: break
      case .finish(.success(let report)):
        return "\(report.pushed) pushed, \(report.pulled) pulled, \(report.exchanges) exchanges; "
          + "left \(waiting.count), cursor \(position.cursor?.sequence ?? 0)"
      case .finish(.failure): return "failed"
      }
    }
    return "stopped"
  }

  private mutating func reply(to request: StoreRequest) -> StoreReply {
    switch request {
    case .position: return .position(position)
    case .nextPage(let number):
      let page = Array(waiting.filter { $0 > number }.prefix(2))
      guard !page.isEmpty else { return .page(OutboxPage()) }
      return .page(
        OutboxPage(
          sequences: page.map { Int64($0) }, offers: page.map { [UInt8(truncatingIfNeeded: $0)] },
          segment: OutboxSegment(confirmed: .start, token: 1, settledThrough: 0, numbers: page)))
    case .lastRefused: return .sequence(0)
    case .hasWaitingWrites: return .waiting(!waiting.isEmpty)
    case .holdMassDeletion: return .held(nil)
    case .apply(let answer, let attempt, _):
      var applied = AppliedAnswer()
      applied.acknowledged = attempt.page.offers.count
      let numbers = attempt.page.segment?.numbers ?? []
      waiting.removeAll { numbers.contains($0) }
      position.cursor = answer.cursor
      return .applied(applied)
    case .reconcileDemand: return .demand(nil)
    case .applyEvent, .merge: return .applied(nil)
    case .hashes: return .hashes([])
    case .renewal: return .renewal(RenewRequest(nonce: []))
    case .adopt: return .adopted(false)
    case .retryRefused, .restamp, .endReconcile, .noteSync: return .done
    }
  }

  private func answer(to request: SyncRequest) -> SyncAnswer {
    guard case .exchange(let request) = request else {
      return .reconcile(ReconcileResponse(ranges: [], serverTime: .epoch))
    }
    let from = Int(request.cursor?.sequence ?? 0)
    let records = Array(feed.dropFirst(from).prefix(2))
    let end = from + records.count
    return .exchange(
      ExchangeResponse(
        records: records, cursor: Cursor(commit: UInt64(end), sequence: UInt64(end)),
        more: end < feed.count, serverTime: .epoch,
        head: Cursor(commit: UInt64(feed.count), sequence: UInt64(feed.count)),
        takenThrough: request.segment.map {
          OutboxPosition(number: $0.numbers.last ?? 0, token: $0.token)
        }))
  }
}
