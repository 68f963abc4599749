// SPDX-License-Identifier: Apache-2.0
// What goes with small pages, so that few records take every path that many do.

import AtrestServer
import AtrestSync
import AtrestWire

extension ExchangeLimits {
  /// With small pages, requests are small, too: some judge only the first of their offers.
  init(simulated pageRecords: Int) {
    self.init()
    guard pageRecords < Page.records else { return }
    self.pageRecords = pageRecords
    writtenBytes = pageRecords * 100
  }
}

extension ComparisonSizes {
  /// With small pages, few records are compared in as many parts as many are.
  init(simulated pageRecords: Int) {
    self.init()
    guard pageRecords < Page.records else { return }
    blockRecords = pageRecords
    smallRange = UInt64(pageRecords)
    fanOut = pageRecords
    turnRecords = 4 * pageRecords
  }
}

extension SyncBounds {
  /// The same on a device.
  init(attempts: Int, simulated pageRecords: Int) {
    self.init(attempts: attempts)
    if pageRecords < Page.records { smallRange = UInt64(max(2, pageRecords)) }
  }
}
