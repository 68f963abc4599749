// SPDX-License-Identifier: Apache-2.0
// What a server believes of devices that other servers revoke, too.

import AtrestDomain
import AtrestHTTP2
import AtrestReplication
import AtrestSockets
import AtrestWire
import Testing

@testable import AtrestServer

@Suite(.timeLimit(.minutes(20))) struct SharedRegistryTests {
  private let registry = SessionRegistry(
    trust: CacheTrust(lifetime: .seconds(3600)) { Instant(nanoseconds: 1) })
  private let home = AccountEntry(
    id: AccountID(rawValue: 1), name: "home", created: WallTime(milliseconds: noon), head: .start,
    devices: 1, records: 0, bytes: 0)
  private let noonTime = WallTime(milliseconds: noon)

  private func entry(revoked: WallTime? = nil, name: String = "phone") -> DeviceEntry {
    DeviceEntry(
      replica: phone, account: home.id, name: name,
      tokenHash: Secret.hash([UInt8](repeating: 1, count: 32)), paired: noonTime, seen: nil,
      revoked: revoked)
  }

  /// Learns what a read says that began at an instant.
  @discardableResult
  private func read(
    _ device: DeviceEntry? = nil, from instant: Instant
  ) -> SessionRegistry.Learned {
    let device = device ?? entry()
    return registry.learn(device, of: home, among: [device], at: instant, now: noonTime)
  }

  /// Whether memory alone admits the device's calls.
  private var isTrusted: Bool {
    registry.authenticate(credentials(phone), at: noonTime).device != nil
  }

  private var now: Instant { MonotonicClock.now() }

  @Test("a read from before the news of a revocation is not trusted, though nothing was cached")
  func readBeforeNews() {
    let start = now
    #expect(registry.hear(.revoked(phone)) == nil)
    read(from: start)
    #expect(!isTrusted)
    read(from: now)
    #expect(isTrusted)
  }

  @Test("the same on the server that revoked, and for an account that was removed")
  func readBeforeOwn() {
    var start = now
    registry.revoke(phone, at: noonTime)
    read(from: start)
    #expect(!isTrusted)
    read(from: now)
    #expect(isTrusted)
    start = now
    #expect(registry.remove(home.id, at: noonTime) == 1)
    read(from: start)
    #expect(!isTrusted && registry.account(home.id)?.trustedHead == nil)
  }

  @Test("a head from before the news of another is not trusted, though nothing was cached")
  func headBeforeNews() {
    let start = now
    #expect(registry.hear(.head(home.id, Cursor(commit: 7, sequence: 1))) == nil)
    read(from: start)
    #expect(registry.account(home.id)?.trustedHead == nil && isTrusted)
    read(from: now)
    #expect(registry.account(home.id)?.trustedHead == .start)
  }

  @Test("a read from before the news admits no call once a second is over")
  func outdated() {
    _ = registry.hear(.revoked(phone))
    guard case .outdated = read(from: Instant(nanoseconds: now.nanoseconds - 1_000_000_001)) else {
      Issue.record("admitted")
      return
    }
    #expect(registry.session(phone) == nil)
  }

  @Test("whoever says that a device was revoked ends nothing: what was known is read again")
  func newsAreNoTruth() {
    read(from: now)
    #expect(isTrusted)
    let account = registry.hear(.revoked(phone))
    #expect(account === registry.account(home.id) && account != nil)
    #expect(!isTrusted && registry.session(phone)?.isRevoked == false)
    read(from: now)
    #expect(isTrusted)
    #expect(registry.hear(.removed(home.id)) === account)
    #expect(!isTrusted && registry.session(phone)?.isRevoked == false)
    read(entry(revoked: noonTime), from: now)
    #expect(registry.session(phone)?.isRevoked == true)
  }

  @Test("a revocation that a failover lost is over once the store was read again, and not before")
  func lostRevocation() {
    let start = now
    read(from: start)
    let ended = registry.session(phone)
    registry.revoke(phone, at: noonTime)
    guard case .noAccess = read(from: start) else {
      Issue.record("a read from before the revocation gave access")
      return
    }
    guard case .device(let session) = read(from: now) else {
      Issue.record("no access, though the store has it")
      return
    }
    #expect(session !== ended && ended?.isRevoked == true && isTrusted)
  }

  @Test("an account that was just made is known to nobody's satisfaction until it is read")
  func made() {
    registry.add(account: home.id, name: "home")
    #expect(registry.account(home.id)?.trustedHead == nil)
    read(from: now)
    #expect(registry.account(home.id)?.trustedHead == .start)
  }

  @Test("lists show the row that was read, and the later of two calls")
  func shown() {
    read(from: now)
    _ = registry.authenticate(credentials(phone), at: noonTime.advanced(by: 5))
    let renamed = registry.shown(entry(name: "pocket"), isCurrent: false)
    #expect(renamed.name == "pocket" && renamed.seen == noonTime.advanced(by: 5))
    #expect(renamed.revoked == nil)
    registry.revoke(phone, at: noonTime)
    var row = entry()
    row.seen = noonTime.advanced(by: 9)
    let undone = registry.shown(row, isCurrent: false)
    #expect(undone.revoked == nil && undone.seen == noonTime.advanced(by: 9))
  }
}
