// SPDX-License-Identifier: Apache-2.0
// Accounts for memory twice: where it is held and who pays for it.

/// Bytes that are charged until this value is destroyed. Store it beside the memory that it stands
/// for: both end with their owner, so nothing must be released by hand.
///
/// As in double-entry bookkeeping, every byte is booked twice. The place bounds what it holds in
/// total, and the payer shows who caused it, wherever it is held.
public struct Charge: ~Copyable, Sendable {
  /// Where the memory is held.
  public let place: Holder
  /// Who caused it. Nil: unknown.
  public private(set) var payer: Holder?
  /// The current number of bytes.
  public private(set) var bytes: Int

  /// Charges `bytes`. The amount may change later.
  public init(_ bytes: Int = 0, at place: Holder, by payer: Holder? = nil) {
    self.place = place
    self.payer = payer
    self.bytes = bytes
    guard bytes != 0 else { return }
    place.add(bytes)
    payer?.add(bytes)
  }

  deinit {
    guard bytes != 0 else { return }
    place.add(-bytes)
    payer?.add(-bytes)
  }

  /// Sets the number of bytes. Does no work if it is unchanged.
  public mutating func change(to count: Int) {
    guard count != bytes else { return }
    place.add(count - bytes)
    payer?.add(count - bytes)
    bytes = count
  }

  /// Moves the whole charge to another payer.
  public mutating func bill(_ payer: Holder?) {
    guard payer !== self.payer else { return }
    if bytes != 0 {
      self.payer?.add(-bytes)
      payer?.add(bytes)
    }
    self.payer = payer
  }
}
