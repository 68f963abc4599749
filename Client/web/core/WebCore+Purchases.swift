// SPDX-License-Identifier: Apache-2.0
// Keeps a purchase that the App Store signed. This core cannot verify it: the server does.

import AtrestDomain
import AtrestReplication
import AtrestSync
import AtrestWire

extension WebCore {
  /// A signed transaction without the white space that belongs to its file.
  func transaction(_ file: [UInt8]) throws(CoreFailure) -> [UInt8] {
    let bytes = SignedTransaction.trimmed(file)
    guard bytes.count <= SignedTransaction.limitBytes, EntitlementField.record(jws: bytes) != nil
    else {
      throw CoreFailure(
        code: "input",
        Language.text(
          "This is not a signed App Store transaction. Take it from the App Store as it is.",
          de: "Das ist keine signierte Transaktion des App Store. Nimm sie so, wie der App Store "
            + "sie gibt."))
    }
    return bytes
  }

  /// Keeps a purchase here. The next sync offers it, and the server judges it then.
  func keepPurchase(_ file: [UInt8], _ now: WallTime) throws(CoreFailure) -> JSON {
    let jws = try transaction(file)
    return try write(now) { work throws(CoreFailure) in
      do throws(ReplicaError) { try work.keep(signedTransaction: jws) } catch {
        throw CoreFailure(error)
      }
      return .object([])
    }
  }
}
