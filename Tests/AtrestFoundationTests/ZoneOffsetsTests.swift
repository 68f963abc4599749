// SPDX-License-Identifier: Apache-2.0
// Zones as data, against the time zones of Foundation that they are read from.

import AtrestDomain
import AtrestFoundation
import AtrestReplication
import AtrestTestSupport
import Foundation
import Testing

@Suite("Zones as data", .timeLimit(.minutes(20)))
struct ZoneOffsetsTests {
  /// Zones with changes of half an hour, of a whole day, at midnight, twice a year, in Ramadan, and
  /// of standard time.
  private static let zones = [
    "UTC", "Europe/Berlin", "Europe/Dublin", "America/Los_Angeles", "America/St_Johns",
    "Asia/Kolkata", "Asia/Kathmandu", "Asia/Pyongyang", "Australia/Lord_Howe", "Pacific/Apia",
    "Africa/Cairo", "Africa/Casablanca", "Antarctica/Troll", "America/Caracas", "Asia/Gaza",
    "Europe/Moscow", "Pacific/Kwajalein", "America/Scoresbysund",
  ].compactMap { TimeZone(identifier: $0) }

  /// 1970 to 2100.
  private static let seconds: Range<Int64> = 0..<4_102_444_800

  @Test("have Foundation's offset at random instants of 130 years")
  func offsets() {
    let zones = Self.zones.map { (zone: $0, offsets: ZoneOffsets($0)) }
    #expect(zones.count == 18)
    checkLaw(cases: 20_000) { random in
      let second = Int64.random(in: Self.seconds, using: &random)
      let time = WallTime(milliseconds: second * 1000 + Int64.random(in: 0..<1000, using: &random))
      return zones.allSatisfy { zone, offsets in
        offsets.offset(at: time) == zone.secondsFromGMT(for: time.date)
      }
    }
  }

  @Test("change their offset in the second in which Foundation does", arguments: zones)
  func transitions(zone: TimeZone) throws {
    let offsets = ZoneOffsets(zone)
    var before = offsets.first
    for transition in offsets.transitions where Self.seconds.contains(transition.second) {
      let time = WallTime(milliseconds: transition.second * 1000)
      for (near, offset) in [(time.advanced(by: -1), before), (time, transition.offset)] {
        try #require(offsets.offset(at: near) == offset)
        try #require(zone.secondsFromGMT(for: near.date) == offset, "\(TimeText.iso(near))")
      }
      before = transition.offset
    }
  }

  @Test("read a local time as a search through Foundation's clocks does, in gaps and overlaps too")
  func localTimes() {
    let zones = Self.zones.map { (zone: $0, offsets: ZoneOffsets($0)) }
    checkLaw(cases: 20_000) { random in
      let index = Int.random(in: zones.indices, using: &random)
      let (zone, offsets) = zones[index]
      // Every other time lies near a change of the clocks.
      var local = Int64.random(in: Self.seconds, using: &random)
      if random.oneIn(2), let change = offsets.transitions.randomElement(using: &random),
        Self.seconds.contains(change.second)
      {
        local =
          change.second + Int64(change.offset)
          + Int64.random(in: -30...30, using: &random) * 600
      }
      let day = LocalDay(number: Int(local / 86_400))
      let found = day.instant(atSecond: Int(local % 86_400), in: offsets)
      // Whatever the zone, an instant with this local time is within 26 hours. Offsets are whole
      // quarters of an hour since 1970, but for Liberia's.
      let expected = stride(from: local - 93_600, through: local + 93_600, by: 900).first {
        second in
        second + Int64(zone.secondsFromGMT(for: WallTime(milliseconds: second * 1000).date))
          == local
      }
      return found == expected.map { WallTime(milliseconds: $0 * 1000) }
    }
  }

  @Test("are made of ascending changes within 18 hours, or not at all")
  func invalid() {
    func change(_ second: Int64, _ offset: Int) -> ZoneOffsets.Transition {
      ZoneOffsets.Transition(second: second, offset: offset)
    }
    #expect(ZoneOffsets(first: 0, transitions: [change(1, 3600), change(2, 0)]) != nil)
    #expect(ZoneOffsets(first: 0, transitions: [change(2, 3600), change(2, 0)]) == nil)
    #expect(ZoneOffsets(first: 0, transitions: [change(1, 64_801)]) == nil)
    #expect(ZoneOffsets(first: -64_800) != nil && ZoneOffsets(first: -64_801) == nil)
  }
}
