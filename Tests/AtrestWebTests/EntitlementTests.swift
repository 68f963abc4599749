// SPDX-License-Identifier: Apache-2.0
// Specifies what a browser takes an account for, which cannot verify purchases.

import AtrestDomain
import AtrestReplication
import AtrestSync
import AtrestWire
import Testing

@testable import AtrestWeb

@Suite("What a browser takes an account for", .timeLimit(.minutes(20)))
struct EntitlementTests {
  private static let now = WallTime(milliseconds: 1_790_000_000_000)

  /// A core with completed fasts of 16 hours.
  private func core(fasts: Int) throws -> WebCore {
    var number: UInt64 = 0
    let core = WebCore(random: {
      number += 1
      return number
    })
    _ = try core.open([], of: .atrest)
    try core.write(Self.now) { work throws(CoreFailure) in
      for index in 0..<fasts {
        let end = Self.now.advanced(by: -Int64(index + 1) * Milliseconds.perDay)
        let start = end.advanced(by: -16 * Milliseconds.perHour)
        guard let span = Session.Span(start: start, end: end, outcome: .completed) else { continue }
        try told { () throws(ReplicaError) in
          try work.save(Session(id: core.newID(), span: span, targetMinutes: 960))
        }
      }
    }
    return core
  }

  private func entitlement(_ core: WebCore) throws -> Entitlement {
    try core.read(Self.now) { work throws(CoreFailure) in try core.entitlement(in: work) }
  }

  @Test("without purchases the trial has ten fasts")
  func trial() throws {
    #expect(try entitlement(core(fasts: 10)) == .trial)
    #expect(try entitlement(core(fasts: 11)) == .free)
  }

  @Test("the paywall opens with the moment after ten fasts, and stays once that was dismissed")
  func paywall() throws {
    let nothing = try Arguments(StrictJSON(Array("{}".utf8)))
    func isReachable(_ core: WebCore) throws -> Bool {
      let view = try core.view("paywall", nothing, Self.now).utf8
      return StrictJSON(view)?.members?["isReachable"] == .bool(true)
    }
    #expect(try !isReachable(core(fasts: 9)))
    let core = try core(fasts: 10)
    #expect(try isReachable(core))
    _ = try core.act("transition.dismiss", nothing, Self.now)
    #expect(try isReachable(core))
  }

  @Test("nothing is locked while a purchase may still be on its way here")
  func firstSync() throws {
    let core = try core(fasts: 11)
    let (here, head) = (Cursor(commit: 1, sequence: 5), Cursor(commit: 2, sequence: 9))
    try core.write(Self.now) { work throws(CoreFailure) in
      work.tables.state.account = "person"
      work.tables.state.cursor = here
      work.tables.state.head = head
    }
    #expect(try entitlement(core) == .unknown)
    try core.write(Self.now) { work throws(CoreFailure) in
      work.tables.state.cursor = head
      work.tables.state.lastSync = Self.now
    }
    #expect(try entitlement(core) == .free)
  }

  @Test("nor after this device went to another account, of which nothing is here yet")
  func anotherAccount() throws {
    let core = try core(fasts: 11)
    let head = Cursor(commit: 2, sequence: 9)
    try core.write(Self.now) { work throws(CoreFailure) in
      work.tables.state.cursor = head
      work.tables.state.head = head
      work.tables.state.lastSync = Self.now
      let pairing = PairResponse(
        replica: ReplicaID(rawValue: 7), token: "token", accountName: "another",
        serverTime: Self.now)
      try told { () throws(ReplicaError) in try work.adopt(pairing, server: "host:1") }
    }
    #expect(try entitlement(core) == .unknown)
  }
}
