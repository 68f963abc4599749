// SPDX-License-Identifier: Apache-2.0
// Pairing where inviter, pending device and the device that decides call different daemons.

import AtrestDomain
import AtrestHTTP2
import AtrestProtocol
import AtrestReplication
import AtrestTestSupport
import AtrestWire
import Testing

@testable import AtrestServer

@Suite(.timeLimit(.minutes(20))) struct PairingNodesTests {
  private func wrong(_ code: String) -> String {
    String(code.dropLast()) + (code.hasSuffix("B") ? "C" : "B")
  }

  @Test("who waits on one daemon is listed and let in on another, and told at once")
  func letIn() async throws {
    let nodes = try PairingNodes()
    let code = try await nodes.invite()
    let caller = await nodes.call(code)
    let waiting = try await nodes.pendingDevices()
    #expect(waiting.map(\.name) == ["laptop"] && waiting.map(\.inviter) == [phone])
    #expect(try await nodes.pendingDevices(at: nodes.away) == waiting)
    let replica = try await nodes.decide(try #require(waiting.first).handle, true)
    let welcome = try await caller.welcome
    #expect(welcome.replica == replica && welcome.accountName == "kim")
    #expect(welcome.deviceName == "laptop")
    #expect(nodes.home.queue.announced.all == [.pairing(String(code.prefix(4)))])
    #expect(nodes.away.queue.announced.all == [.pairing(String(code.prefix(4)))])
    // The secret follows from the call, on any daemon; the store has its hash.
    #expect(try await nodes.call(code, at: nodes.home).welcome.token == welcome.token)
  }

  @Test(
    "where news are lost, a waiting call looks by itself every five seconds",
    arguments: [
      true, false,
    ])
  func looks(allow: Bool) async throws {
    let nodes = try PairingNodes(tellsNews: false)
    let caller = await nodes.call(try await nodes.invite())
    let handle = try #require(try await nodes.pendingDevices().first?.handle)
    let end = try await nodes.away.timers.next()
    #expect(end.milliseconds == PairingCode.lifeMilliseconds)
    let look = try await nodes.away.timers.next()
    #expect(look.milliseconds == DevicesService.lookMilliseconds)
    look.fire()
    await nodes.storage.queue.settle()
    #expect(caller.answers.all.isEmpty)
    let replica = try await nodes.decide(handle, allow)
    #expect(caller.answers.all.isEmpty)
    try await nodes.away.timers.next().fire()
    if allow {
      #expect(try await caller.welcome.replica == replica)
    } else {
      #expect(try await caller.failure == .badCode)
    }
    // Nothing waits, and so nothing is looked at any more.
    await nodes.storage.queue.settle()
    try await nodes.away.timers.next().fire()
    await nodes.storage.queue.settle()
    #expect(nodes.away.timers.all.count == 4)
    #expect(caller.answers.all.count == 1)
  }

  @Test("whatever ends a code on another daemon ends the waiting")
  func ends() async throws {
    for end in ["no", "revoked", "tries", "removed"] {
      let nodes = try PairingNodes()
      let code = try await nodes.invite(nodes.tab)
      let caller = await nodes.call(code)
      let handle = try #require(try await nodes.pendingDevices().first?.handle)
      switch end {
      case "no": #expect(try await nodes.decide(handle, false) == nil)
      case "revoked": try await nodes.revoke(tablet)
      case "tries":
        for _ in 0..<PairingCode.tries {
          #expect(caller.answers.all.isEmpty)
          let guess = await nodes.call(wrong(code), at: nodes.home, nonce: [])
          #expect(try await guess.failure == .badCode)
        }
      default:
        let accounts = AccountsService(queue: nodes.home.queue, devices: nodes.home.devices)
        let removed = await outcome { later throws(Status) in
          try accounts.delete(
            nodes.kim, AccountsDeleteRequest(accountName: "kim").encoded, answer: later)
        }
        _ = try removed.reply
      }
      #expect(try await caller.failure == .badCode, "\(end)")
      #expect(try await nodes.call(code).failure == .badCode, "\(end)")
    }
  }

  @Test("a code is bound to the first device on all daemons, and others get nothing by it")
  func bound() async throws {
    let nodes = try PairingNodes()
    let code = try await nodes.invite()
    let caller = await nodes.call(code)
    let before = try await nodes.pendingDevices()
    let thief = await nodes.call(code, at: nodes.home, nonce: [UInt8](repeating: 9, count: 16))
    #expect(try await thief.failure == .badCode)
    // The device itself may call another daemon: it is the same pending device there.
    let again = await nodes.call(code, at: nodes.home)
    #expect(try await nodes.pendingDevices() == before)
    let replica = try await nodes.decide(try #require(before.first).handle, true)
    #expect(try await again.welcome.replica == replica)
    #expect(try await caller.welcome.replica == replica)
  }

  @Test("a device that is let in without waiting, or renewed, hears the account's name")
  func names() async throws {
    let nodes = try PairingNodes()
    let code = try await nodes.invite(withoutApproval: true)
    #expect(try await nodes.call(code).welcome.accountName == "kim")
    let renewed = await outcome { later throws(Status) in
      try nodes.away.devices.renew(nodes.kim, [], answer: later)
    }
    #expect(try PairResponse(decoding: try renewed.reply).accountName == "kim")
  }

  @Test("a revocation or a decision that is repeated is told again: its answer may have been lost")
  func repeated() async throws {
    let nodes = try PairingNodes(tellsNews: false)
    for _ in 0..<2 { try await nodes.revoke(tablet) }
    #expect(nodes.home.queue.announced.all == [.revoked(tablet), .revoked(tablet)])
    // Not for ever: nobody trusts what was read so long ago.
    nodes.storage.world.now += Revocation.repeatedWithin
    try await nodes.revoke(tablet)
    #expect(nodes.home.queue.announced.all.count == 2)
    let code = try await nodes.invite()
    _ = await nodes.call(code)
    let handle = try #require(try await nodes.pendingDevices().first?.handle)
    _ = try await nodes.decide(handle, true)
    await #expect(throws: Status.self) { try await nodes.decide(handle, true) }
    let told = StoreNews.pairing(String(code.prefix(4)))
    #expect(nodes.home.queue.announced.all.suffix(2) == [told, told])
  }

  @Test("a call that was decided about while its code was tried has to look")
  func missed() throws {
    let calls = WaitingPairCalls()
    let code = PairingCode(random: World().environment.random)
    let invitation = InvitationEntry(
      handle: code.handle, secretHash: code.secretHash, account: AccountID(rawValue: 1),
      expires: WallTime(milliseconds: noon), triesLeft: 1)
    func call() -> PairCall {
      PairCall(
        code, PairRequest(code: code.text, deviceName: "x"), lookCount: calls.lookCount,
        answer: Answer { _, _ in })
    }
    let first = call()
    #expect(!calls.park(first, with: invitation).hasMissedLook)
    let second = call()
    #expect(calls.calls { $0.account == AccountID(rawValue: 2) }.isEmpty)
    let parked = calls.park(second, with: invitation)
    #expect(parked.hasMissedLook && parked.replaced === first)
    #expect(!calls.take(first) && calls.take(second) && !calls.take(second))
    // One that has ended is not kept.
    let third = call()
    calls.callEnded(third)
    _ = calls.park(third, with: invitation)
    #expect(!calls.contains(third) && calls.takeAll().isEmpty)
  }
}
