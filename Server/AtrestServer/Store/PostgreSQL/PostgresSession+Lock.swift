// SPDX-License-Identifier: Apache-2.0
// The lock that keeps daemons and copies of a store apart.

import AtrestPostgreSQL

extension PostgresSession.SharedLock {
  /// "AtrUses": held by each session of each daemon. A copy holds it exclusively: see
  /// `PostgresArchive`.
  ///
  /// Not by one session of a daemon alone, such as the listener's: while that was lost, the daemon
  /// could write with the others.
  static let serving = Self(
    key: 0x41_7472_5573_6573, refusal: "it is being copied by `atrest-syncd store copy`")
}
