// SPDX-License-Identifier: Apache-2.0
// Fasts, drinks, writes and contexts that the tests in this folder share.

import AtrestCommandLine
import AtrestDomain
import AtrestFoundation
import AtrestReplication
import AtrestWire
import Foundation

@testable import AtrestClient
@testable import AtrestCompanion
@testable import atrest

enum Fixture {
  static let berlin = zone("Europe/Berlin")

  static func zone(_ name: String) -> ZoneOffsets {
    guard let zone = TimeZone(identifier: name) else { preconditionFailure("no zone \(name)") }
    return ZoneOffsets(zone)
  }

  static func instant(_ text: String) -> WallTime {
    guard let date = ISO8601DateFormatter().date(from: text) else {
      preconditionFailure("not an instant: \(text)")
    }
    return WallTime(date)
  }

  /// Saturday, 21 November 2026, 14:30 in Berlin.
  static let context = CommandContext(now: instant("2026-11-21T13:30:00Z"), zone: berlin)

  static func id(_ text: String) -> RecordUUID {
    guard let id = RecordUUID(uuidString: text) else {
      preconditionFailure("not a RecordUUID: \(text)")
    }
    return id
  }

  static func span(
    _ start: String, _ end: String? = nil, _ outcome: Session.Outcome? = nil
  ) -> Session.Span {
    guard
      let span = Session.Span(
        start: instant(start), end: end.map(instant),
        outcome: outcome ?? (end == nil ? .active : .completed))
    else { preconditionFailure("not a span") }
    return span
  }

  static let active = Session(
    id: id("3F2A0000-0000-4000-8000-000000000001"), span: span("2026-11-20T21:30:00Z"),
    targetMinutes: 18 * 60)
  static let completed = Session(
    id: id("3F2A0000-0000-4000-8000-000000000002"),
    span: span("2026-11-18T19:00:00Z", "2026-11-19T11:30:00Z"), targetMinutes: 16 * 60)
  static let forgotten = Session(
    id: id("77000000-0000-4000-8000-000000000003"), span: span("2026-11-20T06:00:00Z"),
    targetMinutes: 16 * 60)

  static func intake(_ at: String, _ millilitres: Int) -> WaterEntry.Intake {
    guard let intake = WaterEntry.Intake(at: instant(at), millilitres: millilitres) else {
      preconditionFailure("not an intake")
    }
    return intake
  }

  static let glass = WaterEntry(
    id: id("A1B20000-0000-4000-8000-000000000004"), intake: intake("2026-11-21T08:15:00Z", 250))

  static let phone = ReplicaID(rawValue: 0x1111_2222_3333_4444)
  static let laptop = ReplicaID(rawValue: 0x9B1F_0000_0000_0001)
  static let devices = DeviceNames(own: laptop, names: [phone: "phone", laptop: "laptop"])

  static func stamp(_ at: String, _ replica: ReplicaID) -> Stamp {
    Stamp(
      time: HybridTime(instant(at)), replica: replica)
  }

  /// The phone and the laptop both ended the same fast, the laptop later.
  static let conflict = JournalEntry(
    conflict: Conflict(
      key: RecordKey(kind: .session, id: completed.id.bytes), field: SessionField.span,
      lost: Register(
        field: SessionField.span, stamp: stamp("2026-11-19T10:00:00Z", phone),
        value: SessionField.encode(span("2026-11-18T19:00:00Z", "2026-11-19T10:00:00Z"))),
      kept: Register(
        field: SessionField.span, stamp: stamp("2026-11-19T11:30:00Z", laptop),
        value: SessionField.encode(completed.span)),
      noticed: WallTime(milliseconds: instant("2026-11-19T12:00:00Z").milliseconds)))

  static func status(
    waiting: Int = 0, refused: Int = 0, held: Int = 0, paired: Bool = true,
    offset: Int64 = 0, isServerClockDoubtful: Bool = false
  ) -> ReplicaStatus {
    ReplicaStatus(
      replica: paired ? laptop : .none, account: paired ? "home" : nil,
      server: paired ? "127.0.0.1:7420" : nil, cursor: nil,
      lastSync: paired
        ? WallTime(milliseconds: instant("2026-11-21T08:14:00Z").milliseconds) : nil,
      serverOffsetMilliseconds: offset, isServerClockDoubtful: isServerClockDoubtful,
      pendingCount: waiting + refused + held, refusedCount: refused, heldDeletionCount: held)
  }

  static func refused(_ reason: Refusal.Reason, _ key: RecordKey) -> PendingWrite {
    PendingWrite(
      key: key, written: [2], since: nil,
      refusal: PendingWrite.WriteRefusal(reason: reason, message: "a stamp is ahead\u{1B}[2J"))
  }

  /// The short IDs of fasts.
  static func short(_ sessions: [Session]) -> [String: String] {
    ShortID.shortened(sessions.map { ShortID.hex($0.id) })
  }
}
