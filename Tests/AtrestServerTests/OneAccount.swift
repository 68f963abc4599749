// SPDX-License-Identifier: Apache-2.0
// What most suites of the store begin with. A suite inherits it, and each test gets a new one.

import AtrestDomain
import AtrestTestSupport

@testable import AtrestServer

/// A store with one account, kim, which has no devices.
class OneAccount {
  let folder: Folder
  let store: SQLiteStore
  let kim: AccountID

  init() throws {
    folder = try Folder()
    store = try openStore(folder)
    kim = try store.makeAccount("kim")
  }

  deinit {
    store.close()
  }
}

/// The same with a phone and a tablet.
class TwoDevices: OneAccount {
  override init() throws {
    try super.init()
    try store.makeDevice(phone, kim)
    try store.makeDevice(tablet, kim)
  }
}
