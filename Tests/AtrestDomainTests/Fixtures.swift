// SPDX-License-Identifier: Apache-2.0
// Instants, time zones and fasts that the tests in this folder share.

import AtrestDomain
import AtrestFoundation
import AtrestReplication
import AtrestTestSupport
import Foundation

enum Zones {
  static let utc = zone("UTC")
  static let berlin = zone("Europe/Berlin")
  static let losAngeles = zone("America/Los_Angeles")
  static let kolkata = zone("Asia/Kolkata")
  static let lordHowe = zone("Australia/Lord_Howe")  // Clocks change by half an hour.
  static let apia = zone("Pacific/Apia")  // Skipped 30 December 2011.
  static let cairo = zone("Africa/Cairo")  // Clocks change at midnight.

  static func zone(_ name: String) -> ZoneOffsets {
    guard let zone = TimeZone(identifier: name) else { preconditionFailure("no zone \(name)") }
    return ZoneOffsets(zone)
  }
}

/// Parses RFC 3339 text with Foundation, independently of the code under test.
func instant(_ text: String) -> WallTime {
  guard let date = ISO8601DateFormatter().date(from: text) else {
    preconditionFailure("not an instant: \(text)")
  }
  return WallTime(date)
}

/// A fast with an ID that ends in `number`.
func fast(
  _ number: UInt8, start: String, end: String? = nil,
  outcome: Session.Outcome? = nil, targetMinutes: Int = Session.defaultTargetMinutes
) -> Session {
  guard
    let span = Session.Span(
      start: instant(start), end: end.map(instant),
      outcome: outcome ?? (end == nil ? .active : .completed))
  else { preconditionFailure("not a span") }
  return Session(id: id(number), span: span, targetMinutes: targetMinutes)
}

func id(_ number: UInt8) -> RecordUUID {
  RecordUUID(UUID(uuid: (0x3f, 0x2a, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, number)))
}

func water(_ number: UInt8, _ at: String, _ millilitres: Int) -> WaterEntry {
  guard let intake = WaterEntry.Intake(at: instant(at), millilitres: millilitres) else {
    preconditionFailure("not an intake")
  }
  return WaterEntry(id: id(number), intake: intake)
}

/// A completed fast of some hours that ended some hours before `Moments.now`.
func ended(
  _ number: Int, hours: Double, targetHours: Double = 16, ago: Double = 1,
  outcome: Session.Outcome = .completed
) -> Session {
  let end = Moments.now.advanced(bySeconds: -ago * 3600)
  guard
    let span = Session.Span(
      start: end.advanced(bySeconds: -hours * 3600), end: end, outcome: outcome)
  else { preconditionFailure("not a span") }
  return Session(id: numbered(number), span: span, targetMinutes: Int(targetHours * 60))
}

/// Established fasts, oldest first, one per day.
func forest(_ count: Int) -> [Tree] {
  TreeMapper.trees(for: (0..<count).map { ended($0, hours: 16, ago: Double(count - $0) * 24) })
}

/// A unique ID for each number.
func numbered(_ number: Int) -> RecordUUID {
  RecordUUID(
    UUID(
      uuid: (
        0x9b, 0x2d, 0x7f, 0x64, 0x52, 0xc1, 0x4f, 0x0e, 0x8a, 0x3b, 0, 0, 0,
        UInt8(truncatingIfNeeded: number >> 16), UInt8(truncatingIfNeeded: number >> 8),
        UInt8(truncatingIfNeeded: number)
      )))
}

enum Moments {
  static let now = instant("2026-11-21T13:30:00Z")
}
