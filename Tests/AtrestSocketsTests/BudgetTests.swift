// SPDX-License-Identifier: Apache-2.0
// Specifies who is admitted when slots are short, and who is evicted.

import Synchronization
import Testing

@testable import AtrestSockets

@Suite("Slots of connections", .timeLimit(.minutes(20)))
struct BudgetTests {
  private func peer(_ last: UInt8) -> SocketAddress { .ipv4(octets: [192, 0, 2, last], port: 1) }

  @Test("the oldest connection without proof goes for a new one; those with proof stay")
  func oldestGoes() throws {
    let budget = ConnectionBudget(maxConnections: 100, maxUnauthenticated: 3)
    let asked = Mutex<[Int]>([])
    let slots = try (0..<6).map { index in
      let slot = try #require(budget.take(for: peer(UInt8(index))))
      slot.whenEvicted { asked.withLock { $0.append(index) } }
      if index == 0 { slot.authenticated() }
      return slot
    }
    #expect(asked.withLock { $0 } == [1, 2])
    #expect(slots.map(\.isEvicted) == [false, true, true, false, false, false])
    // An evicted slot counts until it is released.
    #expect(budget.count == 6)
    for slot in slots { slot.release() }
    #expect(budget.count == 0)
  }

  @Test("a slot asked for before its connection is known is asked for then")
  func askedEarly() throws {
    let budget = ConnectionBudget(maxUnauthenticated: 1)
    let first = try #require(budget.take(for: peer(1)))
    _ = budget.take(for: peer(2))
    let asked = Mutex(0)
    first.whenEvicted { asked.withLock { $0 += 1 } }
    #expect(asked.withLock { $0 } == 1)
  }

  @Test(
    "when every slot is taken a new one waits until one is given back, and the oldest is asked")
  func full() throws {
    let budget = ConnectionBudget(maxConnections: 2)
    let first = try #require(budget.take(for: peer(1)))
    let second = try #require(budget.take(for: peer(2)))
    first.authenticated()
    #expect(budget.take(for: peer(3)) == nil)
    #expect(!first.isEvicted)
    #expect(second.isEvicted)
    second.release()
    #expect(budget.take(for: peer(3)) != nil)
  }

  @Test("connections of one address that are shaking hands are few; completing it makes room")
  func handshaking() throws {
    let budget = ConnectionBudget(maxHandshakesPerPeer: 2)
    let first = try #require(budget.take(for: peer(1)))
    let second = try #require(budget.take(for: peer(1)))
    #expect(budget.take(for: peer(1)) == nil)
    #expect(budget.take(for: peer(2)) != nil)
    first.handshaken()
    first.handshaken()
    let third = try #require(budget.take(for: peer(1)))
    #expect(budget.take(for: peer(1)) == nil)
    // A release frees a slot, once.
    second.release()
    #expect(budget.take(for: peer(1)) != nil)
    #expect(budget.take(for: peer(1)) == nil)
    third.authenticated()
    #expect(budget.take(for: peer(1)) != nil)
  }

  @Test("an IPv6 peer is counted by its /64")
  func network() throws {
    let budget = ConnectionBudget(maxPerPeer: 1)
    func address(_ network: UInt8, _ host: UInt8) -> SocketAddress {
      var octets = [UInt8](repeating: 0, count: 16)
      (octets[0], octets[7], octets[15]) = (0x20, network, host)
      return .ipv6(octets: octets, port: 1, scope: 0)
    }
    #expect(budget.take(for: address(1, 1)) != nil)
    #expect(budget.take(for: address(1, 2)) == nil)
    #expect(budget.take(for: address(2, 1)) != nil)
  }
}
