// SPDX-License-Identifier: Apache-2.0
// The registers that an account's devices and the server hold.

import AtrestClient
import AtrestReplication
import AtrestServer
import AtrestWire
import Foundation

extension World {
  /// What all devices of an account and the server hold together, including pending writes.
  func holdings(of account: Account) -> Holdings? {
    var holdings = Holdings()
    do {
      for device in devices where device.account === account {
        guard let process = running(device) else { return nil }
        for record in try process.replica.allRecords() {
          holdings.add(record, heldBy: device.family)
        }
        for offer in try process.replica.waitingOffers() {
          holdings.add(offer.record, heldBy: device.family)
        }
      }
      guard let server = serverHoldings(of: account) else { return nil }
      holdings.add(server)
      return holdings
    } catch {
      broke("a holder cannot be read: \(error)")
      return nil
    }
  }

  /// What the server holds. Nothing while it does not run.
  func serverHoldings(of account: Account) -> Holdings? {
    var holdings = Holdings()
    do {
      if isReadable {
        for stored in try feed(of: account, after: 0) {
          holdings.add(try Record(decoding: stored.body))
        }
      }
      return holdings
    } catch {
      broke("the server's feed cannot be read: \(error)")
      return nil
    }
  }

  /// The acknowledged registers after a restore: those that somebody still holds, without pending
  /// ones.
  func acknowledgeWhatIsHeld(_ account: Account) {
    account.acknowledged = Acknowledged()
    do {
      for device in devices where device.account === account {
        guard let process = running(device) else { return }
        var waiting: Set<Oracle.Held> = []
        for offer in try process.replica.waitingOffers() {
          for register in offer.record.registers where offer.written.contains(register.field) {
            waiting.insert(Oracle.Held(key: offer.record.key, register: register))
          }
        }
        for record in try process.replica.allRecords() {
          account.acknowledged.note(record, without: waiting)
        }
      }
      guard isReadable else { return }
      for stored in try feed(of: account, after: 0) {
        account.acknowledged.note(try Record(decoding: stored.body))
      }
    } catch {
      broke("a holder cannot be read: \(error)")
    }
  }
}
