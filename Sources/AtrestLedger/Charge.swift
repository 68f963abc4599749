// SPDX-License-Identifier: Apache-2.0
// Accounts memory twice: where it is held and who pays for it.

/// Bytes that are charged until the charge is destroyed. Keep it beside the memory it stands for:
/// both end with their owner, so nothing has to be returned by hand.
///
/// Double-entry bookkeeping: the place bounds the memory held there, and the payer identifies who
/// caused it, wherever it is held.
public struct Charge: ~Copyable, Sendable {
  /// Where the memory is held.
  public let place: Balance
  /// Who caused it; nil if unknown.
  public private(set) var payer: Balance?
  /// The current charge.
  public private(set) var bytes: Int

  /// Charges `bytes`. The amount may change later.
  public init(_ bytes: Int = 0, at place: Balance, by payer: Balance? = nil) {
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

  /// Sets the charge to `count` bytes. Free if unchanged.
  public mutating func change(to count: Int) {
    guard count != bytes else { return }
    place.add(count - bytes)
    payer?.add(count - bytes)
    bytes = count
  }

  /// Moves the charge to another payer, also for bytes already held.
  public mutating func bill(_ payer: Balance?) {
    guard payer !== self.payer else { return }
    if bytes != 0 {
      self.payer?.add(-bytes)
      payer?.add(bytes)
    }
    self.payer = payer
  }
}
