// SPDX-License-Identifier: Apache-2.0
// How much of a device's outbox the server took, and which of its offers it refused.

import AtrestReplication
import AtrestWire

/// The server's position in a device's outbox.
package struct DeviceOutbox: Hashable, Sendable {
  /// All offers up to here were judged.
  package var takenThrough: OutboxPosition
  /// Refused offers among these that the device may not know of, ascending.
  package var refusals: [RefusedOffer]

  /// An offer that was refused.
  package struct RefusedOffer: Hashable, Sendable {
    package var number: UInt64
    package var reason: Refusal.Reason

    /// A refused offer.
    package init(number: UInt64, reason: Refusal.Reason) {
      self.number = number
      self.reason = reason
    }
  }

  /// Nothing was offered yet.
  package static let empty = DeviceOutbox(takenThrough: .start, refusals: [])

  /// The most refusals kept. A device that stores its answers has those of two pages open.
  package static let refusalLimit = 4096
}

// MARK: - As bytes

extension DeviceOutbox {
  private static let refusalBytes = 12

  /// The refusals, twelve bytes each: number and reason, big-endian.
  var encodedRefusals: [UInt8] {
    var bytes: [UInt8] = []
    for refusal in refusals {
      withUnsafeBytes(of: refusal.number.bigEndian) { bytes.append(contentsOf: $0) }
      let reason = UInt32(clamping: refusal.reason.rawValue)
      withUnsafeBytes(of: reason.bigEndian) { bytes.append(contentsOf: $0) }
    }
    return bytes
  }

  /// Nil for bytes that cannot be read.
  static func refusals(decoding bytes: [UInt8]) -> [RefusedOffer]? {
    guard bytes.count % refusalBytes == 0 else { return nil }
    return stride(from: 0, to: bytes.count, by: refusalBytes).map { start in
      let number = bytes[start..<start + 8].reduce(0) { $0 << 8 | UInt64($1) }
      let reason = bytes[start + 8..<start + 12].reduce(0) { $0 << 8 | Int($1) }
      return RefusedOffer(number: number, reason: Refusal.Reason(rawValue: reason))
    }
  }
}
