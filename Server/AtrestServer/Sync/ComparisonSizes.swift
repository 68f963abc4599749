// SPDX-License-Identifier: Apache-2.0
// In what parts records are compared.

import AtrestWire

/// The sizes of the parts in which an account's records are compared with a replica's.
///
/// Any sizes find the same differences. The standard ones keep requests and memory small for
/// accounts of a million records; smaller ones lead a simulation with few records down every path.
package struct ComparisonSizes: Hashable, Sendable {
  /// Approximate number of records whose fingerprints are kept as one sum.
  package var blockRecords = 128
  /// The server splits a range only if both sides hold more records in it.
  package var smallRange = KeyRange.smallCount
  /// Number of parts into which a differing range is split.
  package var fanOut = 16
  /// Approximate number of records read per turn of the storage queue: a few milliseconds.
  package var turnRecords = 2048

  package init() {}
}
