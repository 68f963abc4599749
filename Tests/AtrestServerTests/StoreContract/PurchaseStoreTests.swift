// SPDX-License-Identifier: Apache-2.0
// The contract of `PurchaseStore`.

import AtrestReplication
import AtrestTestSupport
import Testing

@testable import AtrestServer

extension StoreContract {
  @Suite(.timeLimit(.minutes(20))) struct PurchaseStoreTests {
    let folder: Folder

    init() throws {
      folder = try Folder()
    }

    @Test("one account at a time holds a purchase, until it is removed", arguments: StoreEngine.all)
    func holders(engine: StoreEngine) throws {
      let store = try engine.open(folder)
      defer { store.close() }
      let (kim, sam) = (try store.makeAccount("kim"), try store.makeAccount("sam"))
      let purchase = PurchaseKey(environment: "Production", original: "7")
      let twin = PurchaseKey(environment: "Sandbox", original: "7")
      try store.transaction { t throws(StoreError) in
        #expect(try t.purchases.holder(of: purchase) == nil)
        try t.purchases.setHolder(kim, since: WallTime(milliseconds: 1), of: purchase)
        try t.purchases.setHolder(kim, since: WallTime(milliseconds: 2), of: twin)
        try t.purchases.setHolder(sam, since: WallTime(milliseconds: 3), of: purchase)
        let holder = try t.purchases.holder(of: purchase)
        #expect(holder?.account == sam && holder?.since == WallTime(milliseconds: 3))
        #expect(try t.purchases.holder(of: twin)?.account == kim)
        try t.accounts.remove(sam)
        #expect(try t.purchases.holder(of: purchase) == nil)
        #expect(try t.purchases.holder(of: twin)?.account == kim)
      }
    }

    @Test(
      "an account keeps its first token, which no other account has", arguments: StoreEngine.all)
    func tokens(engine: StoreEngine) throws {
      let store = try engine.open(folder)
      defer { store.close() }
      let (kim, sam) = (try store.makeAccount("kim"), try store.makeAccount("sam"))
      try store.transaction { t throws(StoreError) in
        #expect(try t.purchases.appAccountToken(of: kim, orElse: [1]) == [1])
        #expect(try t.purchases.appAccountToken(of: kim, orElse: [2]) == [1])
        #expect(try t.purchases.appAccountToken(of: sam, orElse: [1]) == nil)
        #expect(try t.purchases.appAccountToken(of: sam, orElse: [2]) == [2])
      }
    }
  }
}
