// SPDX-License-Identifier: Apache-2.0
// Charges: who holds how much, and that nothing remains after the owner is gone.

import AtrestLedger
import AtrestTestSupport
import Testing

@Suite("The ledger", .timeLimit(.minutes(20)))
struct AtrestLedgerTests {
  /// Like a call: its charge lives as long as it does.
  private final class Owner {
    var charge: Charge

    init(_ bytes: Int, at place: Balance, by payer: Balance? = nil) {
      charge = Charge(bytes, at: place, by: payer)
    }
  }

  @Test("what is held somewhere is held by all that it is under, and by who pays")
  func levels() {
    let server = Balance()
    let connection = Balance(under: Balance(under: server))
    let account = Balance()
    let device = Balance(under: account)
    let call = Owner(100, at: connection, by: device)
    call.charge.change(to: 250)
    #expect([server, connection, account, device].map(\.chargedBytes) == [250, 250, 250, 250])
    #expect(connection.root === server && device.root === account && account.root === account)
    withExtendedLifetime(call) {}
  }

  @Test("with its owner ends a charge")
  func ends() {
    let place = Balance()
    let payer = Balance()
    do {
      let calls = (1...3).map { Owner($0, at: place, by: payer) }
      #expect(place.chargedBytes == 6 && payer.chargedBytes == 6)
      withExtendedLifetime(calls) {}
    }
    #expect(place.chargedBytes == 0 && payer.chargedBytes == 0)
  }

  @Test("who is known later pays for what was held before, too; the place is the same")
  func billed() {
    let place = Balance()
    let address = Balance()
    let device = Balance()
    let call = Owner(40, at: place, by: address)
    call.charge.bill(device)
    #expect(address.chargedBytes == 0 && device.chargedBytes == 40 && place.chargedBytes == 40)
    call.charge.bill(nil)
    #expect(device.chargedBytes == 0 && place.chargedBytes == 40)
  }

  @Test("any charges, changes and ends, in any order: each balance is the sum of what is under it")
  func sums() {
    checkLaw(cases: 200) { random in
      let server = Balance()
      let places = (0..<4).map { _ in Balance(under: server) }
      let accounts = (0..<3).map { _ in Balance() }
      let devices = (0..<9).map { Balance(under: accounts[$0 % 3]) }
      var owners: [Owner] = []
      for _ in 0..<200 {
        let bytes = Int.random(in: 0..<1_000, using: &random)
        let device = devices.randomElement(using: &random)
        switch Int.random(in: 0..<5, using: &random) {
        case 0 where !owners.isEmpty:
          owners.remove(at: Int.random(in: 0..<owners.count, using: &random))
        case 1: owners.randomElement(using: &random)?.charge.change(to: bytes)
        case 2: owners.randomElement(using: &random)?.charge.bill(device)
        default: owners.append(Owner(bytes, at: places[bytes % 4], by: device))
        }
      }
      func isSum(_ holder: Balance, of isIn: (Owner) -> Bool) -> Bool {
        holder.chargedBytes == owners.filter(isIn).reduce(0) { $0 + $1.charge.bytes }
      }
      return isSum(server) { _ in true }
        && places.allSatisfy { place in isSum(place) { $0.charge.place === place } }
        && devices.allSatisfy { device in isSum(device) { $0.charge.payer === device } }
        && accounts.allSatisfy { account in isSum(account) { $0.charge.payer?.root === account } }
    }
  }
}
