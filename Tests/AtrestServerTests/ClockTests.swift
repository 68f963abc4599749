// SPDX-License-Identifier: Apache-2.0
// Stamps and dates when the server's own clock is wrong, and how the server detects that.

import AtrestReplication
import AtrestTestSupport
import AtrestWire
import Logging
import Synchronization
import Testing

@testable import AtrestServer

@Suite(.timeLimit(.minutes(20))) final class StampJudgementTests: TwoDevices {
  private static let hour: Int64 = 3_600_000

  /// A record stamped this many ticks of the hybrid clock after noon.
  private func water(
    _ number: Int, steps: UInt64, millilitres: Int = 250, by replica: ReplicaID = phone
  ) -> Record {
    let time = HybridTime(rawValue: HybridTime(WallTime(milliseconds: noon)).rawValue + steps)
    let written = AtrestServerTests.water(number, millilitres: millilitres)
    let registers = written.registers.map {
      Register(field: $0.field, stamp: Stamp(time: time, replica: replica), value: $0.value)
    }
    return Record(key: written.key, registers: registers) ?? written
  }

  @Test(
    "whatever follows a stamp that was taken is taken, however far back the server's clock goes")
  func follows() throws {
    _ = try store.exchange(kim, request(nil, AtrestServerTests.water(1)))
    for steps in [1, ClockSkew.stepLimit, 2 * ClockSkew.stepLimit] {
      let answer = try store.exchange(
        kim, request(nil, water(Int(steps) + 1, steps: steps)), at: noon - Self.hour)
      #expect(answer.refusals.isEmpty)
    }
  }

  @Test("but nobody moves an account's stamps ahead by more than small steps")
  func steps() throws {
    _ = try store.exchange(kim, request(nil, AtrestServerTests.water(1)))
    let tooFar = request(nil, water(2, steps: ClockSkew.stepLimit + 1))
    #expect(
      try store.exchange(kim, tooFar, at: noon - Self.hour).refusals.map(\.reason) == [.clockSkew])
    #expect(try store.exchange(kim, tooFar).refusals.isEmpty, "for a right clock it is nothing")
  }

  @Test("another account's stamps count for nothing")
  func accounts() throws {
    let sam = try store.makeAccount("sam")
    _ = try store.exchange(sam, request(nil, AtrestServerTests.water(1)), by: tablet)
    let answer = try store.exchange(
      kim, request(nil, AtrestServerTests.water(1)), at: noon - Self.hour)
    #expect(answer.refusals.map(\.reason) == [.clockSkew])
  }

  @Test(
    "what the account took is known after a restart, and after the transaction that took it only")
  func durable() throws {
    _ = try store.exchange(kim, request(nil, AtrestServerTests.water(1)))
    store.close()
    let again = try openStore(folder)
    defer { again.close() }
    let answer = try again.exchange(kim, request(nil, water(2, steps: 1)), at: noon - Self.hour)
    #expect(answer.refusals.isEmpty)
  }

  /// A write over another one.
  private func write(
    _ number: Int, over replaced: UInt64, steps: UInt64, isRestored: Bool
  ) -> ExchangeRequest {
    let over = water(number, steps: replaced).registers[0].stamp
    let registers = water(number, steps: replaced + steps).registers.map {
      Register(field: $0.field, stamp: $0.stamp, replaced: over, value: $0.value)
    }
    let plain = water(number, steps: 0)
    let record = Record(key: plain.key, registers: registers) ?? plain
    let offer = Offer(
      record: record, written: registers.map { $0.field }, isRestored: isRestored)
    return ExchangeRequest(cursor: nil, offers: [offer.encoded])
  }

  private func refusals(_ request: ExchangeRequest) throws -> [Refusal.Reason] {
    try store.exchange(kim, request, at: noon - Self.hour).refusals.map(\.reason)
  }

  /// A server that was restored from a backup has lost the greatest stamp it accepted. Possibly no
  /// device holds the write with that stamp any more.
  @Test("what a restored offer was written over counts as much as what the account took")
  func replaced() throws {
    func restored(_ number: Int, over replaced: UInt64, steps: UInt64) -> ExchangeRequest {
      write(number, over: replaced, steps: steps, isRestored: true)
    }
    #expect(try refusals(restored(1, over: 0, steps: ClockSkew.stepLimit + 1)) == [.clockSkew])
    #expect(try refusals(restored(1, over: 0, steps: ClockSkew.stepLimit)).isEmpty)
    let years = UInt64(ClockSkew.acknowledgedLimitMilliseconds) << 16
    #expect(try refusals(restored(2, over: years, steps: 1)) == [.clockSkew], "not for ever")
  }

  /// A client that has its clock a year ahead for one write, which is refused, deletes that record
  /// later, when its clock is right again.
  @Test("what was refused cannot be followed either")
  func afterRefusal() throws {
    let refused = water(1, steps: 0)
    #expect(try refusals(request(nil, refused)) == [.clockSkew])
    #expect(try refusals(write(1, over: 0, steps: 1, isRestored: false)) == [.clockSkew])
    let deletion = refused.registers.map {
      $0.field != Register.deletedField
        ? $0
        : Register(
          field: $0.field,
          stamp: Stamp(
            time: HybridTime(WallTime(milliseconds: noon - Self.hour)), replica: phone),
          replaced: $0.stamp, value: Register.deletedValue)
    }
    let record = try #require(Record(key: refused.key, registers: deletion))
    let offer = Offer(record: record, written: [Register.deletedField])
    let push = ExchangeRequest(cursor: nil, offers: [offer.encoded])
    #expect(try refusals(push) == [.clockSkew], "it brings the refused value along")
    #expect(try refusals(request(nil, water(2, steps: 1))) == [.clockSkew])
  }

  @Test("a record's later writes wait for one that may be taken later, whenever that was refused")
  func order() throws {
    let ahead = water(1, steps: 1)
    func later() -> Record {
      water(1, steps: 2, millilitres: 300)
    }
    func push(_ records: [Record], token: UInt64, at now: Int64) throws -> [Refusal.Reason] {
      let offers = records.map { offer($0) }
      let segment = OutboxSegment(
        confirmed: .start, token: token, settledThrough: 0,
        numbers: Array(1...UInt64(offers.count)))
      let request = ExchangeRequest(cursor: nil, offers: offers, segment: segment)
      return try store.exchange(kim, request, at: now).refusals.map(\.reason)
    }
    #expect(try push([ahead], token: 7, at: noon - Self.hour) == [.clockSkew])
    // The response was lost. By now the clock would allow both.
    #expect(try push([ahead, later()], token: 7, at: noon) == [.clockSkew, .clockSkew])
  }

  @Test("what was acknowledged once is taken with the stamp it has, up to a hundred years ahead")
  func restored() throws {
    let years = ClockSkew.acknowledgedLimitMilliseconds
    func restored(_ number: Int, at time: Int64) -> ExchangeRequest {
      let record = AtrestServerTests.water(number, at: time)
      return ExchangeRequest(
        cursor: nil, offers: [Offer(record: record, written: [], isRestored: true).encoded])
    }
    #expect(try store.exchange(kim, restored(1, at: noon + years)).refusals.isEmpty)
    #expect(
      try store.exchange(kim, restored(2, at: noon + 2 * years)).refusals.map(\.reason)
        == [.clockSkew])
  }
}

@Suite(.timeLimit(.minutes(20))) struct ClockMonitorTests {
  /// Two clocks that the test sets.
  private final class Clocks: Sendable {
    let wall = Mutex(noon)
    let uptime = Mutex(Int64(1000))

    func pass(_ milliseconds: Int64) {
      wall.withLock { $0 += milliseconds }
      uptime.withLock { $0 += milliseconds }
    }
  }

  private let clocks = Clocks()
  private let registry = SessionRegistry()

  private func monitor(lastWritten: Int64 = 0) -> ClockMonitor {
    let clocks = clocks
    return ClockMonitor(
      environment: Environment(
        now: { WallTime(milliseconds: clocks.wall.withLock { $0 }) },
        random: { [UInt8](repeating: 1, count: $0) }, uptime: { clocks.uptime.withLock { $0 } }),
      registries: [registry], lastWritten: WallTime(milliseconds: lastWritten),
      logger: quiet)
  }

  private func device(_ number: UInt64, of account: Int64, ahead: Int64) {
    let id = AccountID(rawValue: account)
    if registry.account(id) == nil { registry.add(account: id, name: "account \(account)") }
    let replica = ReplicaID(rawValue: number)
    registry.add(
      DeviceEntry(
        replica: replica, account: id, name: "device", tokenHash: [],
        paired: WallTime(milliseconds: noon)))
    let now = clocks.wall.withLock { $0 }
    registry.session(replica)?.note(
      clock: WallTime(milliseconds: now + ahead), at: WallTime(milliseconds: now))
  }

  @Test("a clock that runs on is not doubted")
  func runsOn() {
    let monitor = monitor(lastWritten: noon)
    for _ in 0..<3 {
      monitor.check()
      #expect(monitor.doubt == nil)
      clocks.pass(60_000)
    }
  }

  @Test("one that shows less than before the start is, until it has caught up")
  func wentBack() {
    let monitor = monitor(lastWritten: noon + 120_000)
    monitor.check()
    #expect(monitor.doubt == .wentBack(by: 120_000))
    clocks.pass(60_000)
    monitor.check()
    #expect(monitor.doubt == nil)
  }

  @Test("one that is set while the server runs is, either way, for an hour", arguments: [-1, 1])
  func stepped(way: Int64) {
    let monitor = monitor()
    monitor.check()
    clocks.wall.withLock { $0 += way * 120_000 }
    monitor.check()
    #expect(monitor.doubt == .stepped(by: way * 120_000))
    clocks.pass(ClockMonitor.stepMemoryMilliseconds + 1)
    monitor.check()
    #expect(monitor.doubt == nil)
  }

  @Test("one that most accounts' devices differ from is; one account is one voice")
  func differs() {
    let monitor = monitor()
    device(1, of: 1, ahead: 7_200_000)
    monitor.check()
    #expect(monitor.doubt == .differsFromDevices(by: 7_200_000))
    device(2, of: 2, ahead: 0)
    monitor.check()
    #expect(monitor.doubt == nil, "half of them are not most")
    device(3, of: 3, ahead: 10)
    // One account with many lying devices.
    for number in 10..<20 { device(UInt64(number), of: 1, ahead: 7_200_000) }
    monitor.check()
    #expect(monitor.doubt == nil)
  }

  @Test("a step that the devices' clocks bear out was a correction")
  func corrected() {
    let monitor = monitor()
    monitor.check()
    clocks.wall.withLock { $0 += 7_200_000 }
    device(1, of: 1, ahead: 20)
    monitor.check()
    #expect(monitor.doubt == nil)
  }
}
