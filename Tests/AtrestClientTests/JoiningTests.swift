// SPDX-License-Identifier: Apache-2.0
// Joining an account: idempotent after a lost response, and patient while a person decides.

import AtrestDomain
import AtrestReplication
import AtrestSync
import AtrestTestSupport
import AtrestWire
import Foundation
import Testing

@testable import AtrestClient

@Suite("Joining an account", .timeLimit(.minutes(20)))
struct JoiningTests {
  private let test: TestReplica
  private let link: PairingLink

  init() throws {
    test = try TestReplica()
    link = try PairingLink(parsing: "atrest://127.0.0.1:7443/BCDF-GHJKLMNP")
  }

  private static func welcome(_ id: UInt64 = 9, as name: String = "") -> PairResponse {
    PairResponse(
      replica: ReplicaID(rawValue: id), token: "secret", accountName: "home",
      serverTime: TestClock().now(), deviceName: name)
  }

  private func joining(_ joins: ScriptedJoining, _ time: ScriptedTime, attempts: Int = 3) -> Joining
  {
    var joining = Joining(transport: joins)
    joining.pacing = time.pacing(attempts: attempts)
    joining.elapsed = { time.elapsed }
    return joining
  }

  private var grace: Duration { .seconds(1) }

  @Test("an answer at once says who this device is, and nobody is told to wait")
  func atOnce() async throws {
    let joins = ScriptedJoining { _, _ throws(SyncError) in Self.welcome(as: "phone 2") }
    let joined = try await test.replica.pair(
      link, name: "phone", through: joining(joins, ScriptedTime(holding: grace))
    ) { _ in Issue.record("there was nothing to wait for") }
    #expect(joined == JoinedAccount(account: "home", deviceName: "phone 2"))
    let request = try #require(joins.requests.value.first)
    #expect(request.code == "BCDF-GHJKLMNP" && request.deviceName == "phone")
    #expect(Nonce.bytes.contains(request.nonce.count))
    #expect(try test.replica.status().replica == ReplicaID(rawValue: 9))
    #expect(try test.replica.read { $0.state.joining } == nil)
  }

  @Test("the name of the request outlives lost answers and the program, so one device comes of it")
  func lostAnswers() async throws {
    let devices = Shared<[[UInt8]: UInt64]>([:])
    let isHeard = Shared(false)
    let joins = ScriptedJoining { request, _ throws(SyncError) in
      devices.update { $0[request.nonce] = $0[request.nonce] ?? UInt64($0.count) + 1 }
      guard isHeard.value else { throw .unreachable("cut") }
      return Self.welcome(devices.value[request.nonce] ?? 0)
    }
    let time = ScriptedTime(holding: grace)
    for replica in [test.replica, try test.reopened()] {
      await #expect(throws: SyncError.unreachable("cut")) {
        try await replica.pair(link, name: "phone", through: joining(joins, time))
      }
    }
    #expect(joins.requests.value.count == 6)
    isHeard.value = true
    try await test.reopened().pair(link, name: "phone", through: joining(joins, time))
    #expect(devices.value.count == 1)
    #expect(try test.replica.status().replica == ReplicaID(rawValue: 1))
  }

  @Test("another link is another request")
  func anotherLink() async throws {
    let joins = ScriptedJoining { _, _ throws(SyncError) in throw .notPermitted("no") }
    let other = try PairingLink(parsing: "atrest://127.0.0.1:7443/BCDF-GHJKLMNQ")
    for link in [link, other, link] {
      await #expect(throws: SyncError.notPermitted("no")) {
        try await test.replica.pair(
          link, name: "phone", through: joining(joins, ScriptedTime(holding: grace)))
      }
    }
    #expect(Set(joins.requests.value.map(\.nonce)).count == 3)
  }

  @Test("a replica that has an account asks nobody")
  func paired() async throws {
    try test.pair(9)
    let joins = ScriptedJoining { _, _ throws(SyncError) in Self.welcome() }
    await #expect(throws: SyncError.replica(.alreadyPaired(account: "home"))) {
      try await test.replica.pair(link, name: "phone", through: joining(joins, ScriptedTime()))
    }
    #expect(joins.requests.value.isEmpty)
  }

  @Test(
    "an answer that takes its time is waited for, and that is said once, however often the call is lost"
  )
  func waits() async throws {
    let time = ScriptedTime(holding: grace)
    let isTold = Shared(0)
    let joins = ScriptedJoining { _, number throws(SyncError) in
      if number == 0 {
        time.release()
        while isTold.value == 0, !Task.isCancelled { await Task.yield() }
      }
      // Far more attempts than an ordinary call makes.
      guard number == 20 else { throw .unreachable("cut") }
      return Self.welcome()
    }
    try await test.replica.pair(link, name: "phone", through: joining(joins, time)) {
      digits in
      isTold.update { $0 += 1 }
      #expect(digits == joins.requests.value.first?.digits && digits.utf8.count == 6)
    }
    #expect(isTold.value == 1)
    #expect(Set(joins.requests.value.map(\.nonce)).count == 1 && joins.requests.value.count == 21)
  }

  /// A server with a pending device from the first request on.
  private func patient(
    _ time: ScriptedTime,
    then answer: @escaping @Sendable (Int) throws(SyncError) -> PairResponse
  ) async throws -> JoinedAccount {
    let isTold = Shared(false)
    let joins = ScriptedJoining { _, number throws(SyncError) in
      time.release()
      while !isTold.value, !Task.isCancelled { await Task.yield() }
      return try answer(number)
    }
    return try await test.replica.pair(link, name: "phone", through: joining(joins, time)) { _ in
      isTold.value = true
    }
  }

  @Test("a no after waiting is another one than a no at once")
  func denied() async throws {
    await #expect(throws: SyncError.notLetIn) {
      try await patient(ScriptedTime(holding: grace)) { _ throws(SyncError) in
        throw .notPermitted("the code is wrong")
      }
    }
    #expect(try !test.replica.status().isPaired)
    let joins = ScriptedJoining { _, _ throws(SyncError) in throw .notPermitted("the code is wrong")
    }
    await #expect(throws: SyncError.notPermitted("the code is wrong")) {
      try await test.replica.pair(
        link, name: "phone", through: joining(joins, ScriptedTime(holding: grace)))
    }
    #expect(joins.requests.value.count == 1)
  }

  @Test("no code lives longer than six minutes, so nobody waits longer")
  func patienceEnds() async throws {
    let time = ScriptedTime(holding: grace)
    await #expect(throws: SyncError.unreachable("cut")) {
      try await patient(time) { _ throws(SyncError) in
        time.pass(.seconds(60))
        throw .unreachable("cut")
      }
    }
    #expect(time.elapsed >= .seconds(360) && time.elapsed < .seconds(480))
  }

  @Test("whoever lost its place to another run of the same program does not take it back")
  func elsewhere() async throws {
    let count = Shared(0)
    await #expect(throws: SyncError.joiningElsewhere) {
      try await patient(ScriptedTime(holding: grace)) { _ throws(SyncError) in
        count.update { $0 += 1 }
        throw .joiningElsewhere
      }
    }
    #expect(count.value == 1)
  }

  @Test("a server that is not there is asked a few times, and nobody is told to wait")
  func unreachable() async throws {
    var joins = ScriptedJoining { _, _ throws(SyncError) in Self.welcome() }
    let tries = Counter()
    joins.isThere = { _ throws(SyncError) in
      _ = tries.next()
      throw .unreachable("connection refused")
    }
    await #expect(throws: SyncError.unreachable("connection refused")) {
      try await test.replica.pair(link, name: "phone", through: joining(joins, ScriptedTime())) {
        _ in
        Issue.record("nobody is there who could decide")
      }
    }
    #expect(tries.count == 3 && joins.requests.value.isEmpty)
  }
}
