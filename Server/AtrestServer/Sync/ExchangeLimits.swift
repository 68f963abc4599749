// SPDX-License-Identifier: Apache-2.0
// How much one exchange may do.

import AtrestWire

/// Bounds on what one request makes the server do, beyond the size of the request.
package struct ExchangeLimits: Hashable, Sendable {
  /// Maximum number of records in the answer.
  package var pageRecords: Int
  /// Bytes of records that one request writes before its further offers stay unjudged.
  ///
  /// A small offer may replace a record of 64 KiB and add a journal entry for each of its fields,
  /// each with the whole record. One offer can exceed the limit by 6 MiB.
  package var writtenBytes: Int

  /// The same for all requests of an account that share a commit.
  var commitBytes: Int { writtenBytes * 4 }

  package init(pageRecords: Int = Page.records, writtenBytes: Int = 2 << 20) {
    self.pageRecords = pageRecords
    self.writtenBytes = writtenBytes
  }
}
