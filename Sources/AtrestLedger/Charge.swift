// SPDX-License-Identifier: Apache-2.0
// Books memory twice: where it is held, and at whose expense.

/// Bytes that are held until the charge is let go of. Keep it beside the memory that it stands for:
/// both end with their owner, and nobody has to remember to give anything back.
///
/// Every byte is booked twice, as in double-entry bookkeeping: the place bounds what it holds in
/// all, and the payer tells who has caused it, wherever it is held.
public struct Charge: ~Copyable, Sendable {
  /// Where the memory is.
  public let place: Holder
  /// Who has caused it; nil: nobody is known.
  public private(set) var payer: Holder?
  /// How much it is now.
  public private(set) var bytes: Int

  /// Charges `bytes`, which may change later.
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

  /// What is held now is so much. Free if that is what it was.
  public mutating func change(to count: Int) {
    guard count != bytes else { return }
    place.add(count - bytes)
    payer?.add(count - bytes)
    bytes = count
  }

  /// From now on somebody else pays, for what is held already, too.
  public mutating func bill(_ payer: Holder?) {
    guard payer !== self.payer else { return }
    if bytes != 0 {
      self.payer?.add(-bytes)
      payer?.add(bytes)
    }
    self.payer = payer
  }
}
