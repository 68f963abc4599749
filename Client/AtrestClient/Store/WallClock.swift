// SPDX-License-Identifier: Apache-2.0
// Where the client learns the time; the only clock it reads.

import Foundation
import Replication

/// A wall clock. It may be wrong and may jump either way.
public protocol WallClock: Sendable {
  /// What it shows now.
  func now() -> WallTime
}

/// The system's clock.
public struct SystemClock: WallClock {
  /// The system's clock.
  public init() {}

  /// What it shows now.
  public func now() -> WallTime {
    WallTime(milliseconds: Int64((Date().timeIntervalSince1970 * 1000).rounded(.down)))
  }
}
