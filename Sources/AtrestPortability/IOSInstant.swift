// SPDX-License-Identifier: Apache-2.0
// Reads and writes the timestamps of the iOS app's files.

import AtrestDomain
import AtrestReplication
import AtrestTransfer
import Foundation

/// A timestamp as the iOS app writes it, in whole seconds.
struct IOSInstant: Codable {
  /// Seconds since 1970.
  let seconds: Int64

  init(_ time: WallTime) {
    seconds = time.wholeSeconds
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard text.utf8.count == 20, let milliseconds = InstantText.milliseconds(text) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "not an instant")
    }
    seconds = milliseconds / 1000
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(TimeText.iso(time))
  }

  var time: WallTime { WallTime(milliseconds: seconds * 1000) }
}
