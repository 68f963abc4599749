// SPDX-License-Identifier: Apache-2.0
// Entitlements as the device reports them: verified locally from its own records, and unknown where
// data is missing.

import AtrestAppStore
import AtrestDomain
import AtrestEntitlements
import AtrestFoundation
import AtrestReplication
import AtrestSync
import AtrestTestSupport
import AtrestWire
import Foundation
import Testing

@testable import AtrestClient

@Suite("A device's own view of purchases", .timeLimit(.minutes(20)))
struct AtrestEntitlementsTests {
  let authority: TestAuthority
  let policy: VerificationPolicy
  let test: TestReplica

  init() throws {
    var flaws = TestAuthority.Flaws()
    flaws.leafTo = TestAuthority.date(2030)
    authority = try TestAuthority(flaws: flaws)
    policy = VerificationPolicy(
      anchors: try TrustAnchors(certificatesDER: [authority.root]), bundleID: "com.atrest.fasting")
    test = try TestReplica(clock: TestClock(Payload.signed + 1000))
  }

  private func keep(_ changes: [String: String?] = [:]) throws {
    try test.replica.keep(signedTransaction: authority.sign(Payload(changes).text))
  }

  private func report(token: UUID? = nil) throws -> EntitlementReport {
    try test.replica.entitlements(policy: policy, appAccountToken: token)
  }

  /// Completes `count` fasts and returns one of them.
  @discardableResult
  private func complete(_ count: Int) throws -> Session? {
    var last: Session?
    for _ in 0..<count {
      let start = WallTime(milliseconds: Payload.signed - 20 * 3_600_000)
      let span = try #require(
        Session.Span(
          start: start, end: start.advanced(bySeconds: 16 * 3600), outcome: .completed))
      let session = Session(id: RecordUUID.random(), span: span, targetMinutes: 960)
      try test.replica.save(session)
      last = session
    }
    return last
  }

  @Test("a purchase counts once it verified here, and a refund ends it")
  func purchase() throws {
    try complete(11)
    #expect(try report().state == .free)
    try keep()
    #expect(try report().state == .premium)
    try keep([
      "signedDate": "\(Payload.signed + 10)", "revocationDate": "\(Payload.signed + 9)",
    ])
    #expect(try report().state == .free)
    try keep()
    #expect(try report().state == .free, "the old receipt is kept by no merge")
  }

  @Test("without a policy everything is unknown, and nothing is free")
  func noPolicy() throws {
    for count in [0, 11] {
      try complete(count)
      let report = try test.replica.entitlements(policy: nil, appAccountToken: nil)
      #expect(report.state == .unknown && !report.isVerified)
    }
    try keep()
    #expect(
      try test.replica.entitlements(policy: nil, appAccountToken: nil).state == .unknown)
  }

  @Test("a purchase that this device's root did not sign grants nothing, and is not called free")
  func otherRoot() throws {
    try complete(11)
    let stranger = try TestAuthority()
    try test.replica.keep(signedTransaction: stranger.sign(Payload().text))
    #expect(try report().state == .unknown)
    #expect(try report().rejections == ["2000000001": .untrustedRoot])
  }

  @Test("a forged purchase is nobody's, and says nothing")
  func forged() throws {
    try complete(11)
    var jws = try authority.sign(Payload().text)
    let last = jws.count - 20
    jws[last] = jws[last] == 0x41 ? 0x42 : 0x41
    try test.replica.keep(signedTransaction: jws)
    #expect(try report().rejections == ["2000000001": .badSignature])
    #expect(try report().state == .free)
  }

  @Test("the trial is counted by fasts whose outcome is completed, deleted or not")
  func trial() throws {
    try complete(10)
    #expect(try report().state == .trial)
    let eleventh = try #require(try complete(1))
    #expect(try report().state == .free)
    try test.replica.delete(RecordKey(kind: .session, id: eleventh.id.bytes))
    #expect(try report().state == .free)
    #expect(try report().completedFasts == 11)
    // A correction of the outcome corrects the count, in both directions.
    let twelfth = try #require(try complete(1))
    #expect(try report().completedFasts == 12)
    let letGo = try twelfth.edited(outcome: .abandoned, now: test.clock.now())
    try test.replica.save(letGo)
    #expect(try report().completedFasts == 11)
    try test.replica.save(letGo.edited(outcome: .completed, now: test.clock.now()))
    #expect(try report().completedFasts == 12)
  }

  @Test("a paired device knows nothing until it has synced")
  func notSynced() async throws {
    let server = ModelServer(clock: test.clock)
    let paired = try TestReplica(7, clock: test.clock)
    let before = try paired.replica.entitlements(policy: policy, appAccountToken: nil)
    #expect(before.state == .unknown)
    try await paired.sync(server)
    let after = try paired.replica.entitlements(policy: policy, appAccountToken: nil)
    #expect(after.state == .trial)
  }

  @Test("a purchase that names an account waits until the device knows its own")
  func account() throws {
    let ours = UUID()
    try complete(11)
    try keep(["appAccountToken": "\"\(ours.uuidString)\""])
    #expect(try report().state == .unknown)
    #expect(try report(token: ours).state == .premium)
    #expect(try report(token: UUID()).state == .free)
    #expect(try report(token: UUID()).rejections.values.map(\.self) == [.otherAccount])
  }

  @Test("a clock that is set back does not prolong a subscription that is over")
  func clockSetBack() throws {
    try complete(11)
    try keep()
    test.clock.advance(Payload.year + 10_000)
    #expect(try report().state == .free)
    // A write carries the later time, and the replica's clock keeps it.
    try test.replica.setPreference("a", to: "b")
    test.clock.set(Payload.signed + 5000)
    #expect(try report().state == .free)
  }

  @Test("a clock far ahead ends no subscription once the server has told the time")
  func clockAhead() async throws {
    try complete(11)
    try keep()
    let server = ModelServer(clock: TestClock(test.clock.now().milliseconds))
    try test.pair(1)
    test.clock.advance(Payload.year + 10_000)
    #expect(try report().state != .premium)
    try await test.sync(server)
    #expect(try report().state == .premium)
    #expect(try test.replica.status().lastSync == test.clock.now(), "told by the device's clock")
    // Once corrected, the clock is trusted again at once.
    test.clock.set(Payload.signed + 2000)
    try await test.sync(server)
    #expect(try report().state == .premium)
  }

  @Test(
    "the name that the store is to use is remembered for one account on one server",
    arguments: ["", "/ca", "/" + String(repeating: "ab", count: 32)])
  func accountToken(proof: String) throws {
    let token = UUID()
    func join(_ replica: UInt64, port: Int = 7443) throws {
      let now = test.clock.now()
      try test.replica.adopt(
        PairResponse(
          replica: ReplicaID(rawValue: replica), token: "secret", accountName: "home",
          serverTime: now), server: "127.0.0.1:\(port)\(proof)")
    }
    try test.replica.note(appAccountToken: token)
    #expect(try test.replica.knownAppAccountToken() == nil, "there is no account yet")
    try join(1)
    #expect(try test.replica.knownAppAccountToken() == nil)
    try test.replica.note(appAccountToken: token)
    #expect(try test.replica.knownAppAccountToken() == token)
    #expect(try test.reopened().knownAppAccountToken() == token)
    let note = test.folder.replica.appendingPathComponent("app-account.json").path
    let mode = try FileManager.default.attributesOfItem(atPath: note)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    // A new account of the same name: the device has another identity there.
    try test.replica.unpair()
    #expect(try test.replica.knownAppAccountToken() == nil)
    try join(2)
    #expect(try test.replica.knownAppAccountToken() == nil)
    try test.replica.unpair()
    try join(1, port: 7444)
    #expect(try test.replica.knownAppAccountToken() == nil)
  }

  @Test("signed grace goes on after the end of the period, and ends by itself")
  func grace() throws {
    try complete(11)
    try keep()
    let renewed = Payload.signed + Payload.year
    let renewal = Payload.renewal(["signedDate": "\(renewed)"]).text
    test.clock.set(renewed + 86_400_000)
    #expect(try report().state == .free)
    try test.replica.keep(signedTransaction: authority.sign(renewal))
    #expect(try report().state == .premium)
    test.clock.set(renewed + 16 * 86_400_000)
    #expect(try report().state == .free)
  }

  @Test("a purchase brought without a server is kept, and goes with the next sync")
  func offline() async throws {
    let jws = try authority.sign(Payload().text)
    #expect(try await test.replica.submit(signedTransaction: jws) == .kept)
    #expect(try test.replica.signedTransactions() == [jws])
    await #expect(throws: SyncError.self) {
      try await test.replica.submit(signedTransaction: [1, 2])
    }
  }

  @Test("settings: no file is no policy, a broken one is an error, and roots lie beside it")
  func settings() throws {
    let folder = try Folder()
    let file = folder.url.appendingPathComponent(EntitlementSettings.fileName)
    #expect(try EntitlementSettings.policy(at: file)?.bundleID == nil)
    func write(_ text: String) throws { try Data(text.utf8).write(to: file) }
    for text in [
      "", "{}", "[]", #"{"bundle_id":""}"#, #"{"bundle_id":"a","environment":"xcode"}"#,
      #"{"bundle_id":"a","roots":["none.cer"]}"#,
    ] {
      try write(text)
      #expect(throws: ReplicaError.self, "\(text)") { try EntitlementSettings.policy(at: file) }
    }
    try write(#"{"bundle_id":"com.atrest.fasting","roots":["root.cer"]}"#)
    try Data([1, 2]).write(to: folder.url.appendingPathComponent("root.cer"))
    #expect(throws: ReplicaError.self) { try EntitlementSettings.policy(at: file) }
    try Data(authority.root).write(to: folder.url.appendingPathComponent("root.cer"))
    let found = try EntitlementSettings.policy(at: file)
    let read = try #require(found)
    #expect(read.bundleID == "com.atrest.fasting" && read.environment == .production)
    try keep()
    #expect(
      try test.replica.entitlements(policy: read, appAccountToken: nil).state == .premium)
  }
}
