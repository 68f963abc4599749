// SPDX-License-Identifier: Apache-2.0
// How much one exchange may do.

import AtrestWire

/// Bounds on what one request makes the server do, beyond the size of the request.
package struct ExchangeLimits: Hashable, Sendable {
  /// Maximum number of records in the answer.
  package var pageRecords: Int
  /// Bytes of records that one commit writes to an account before further offers stay unjudged.
  ///
  /// A small offer may replace a record of 64 KiB and add a journal entry for each of its fields,
  /// each with the whole record. One offer can exceed the limit by 6 MiB.
  package var writtenBytes: Int

  package init(pageRecords: Int = Page.records, writtenBytes: Int = 8 << 20) {
    self.pageRecords = pageRecords
    self.writtenBytes = writtenBytes
  }
}
