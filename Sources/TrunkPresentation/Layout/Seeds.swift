// SPDX-License-Identifier: Apache-2.0
// Irregularity that comes from ids alone.

import AtrestPresentation
import AtrestReplication
import TrunkDomain

extension Grain {
  /// The irregularity of a record.
  init(of id: RecordUUID) {
    self.init(
      id.bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3 })
  }

  /// The irregularity of a twig.
  init(of twig: Twig) {
    self.init(UInt64(1000 + twig.index * 64))
  }
}
