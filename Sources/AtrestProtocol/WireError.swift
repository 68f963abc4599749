// SPDX-License-Identifier: Apache-2.0
// What can be wrong with bytes that should be a message.

/// Why bytes are not the message they should be. Says nothing of their content.
///
/// Not an enumeration: a version that tells more apart breaks nobody's `switch`.
public struct WireError: Error, Hashable, Sendable {
  private enum Reason: Hashable, Sendable {
    case malformed
    case tooLong
    case rule(String)
  }

  private let reason: Reason

  /// Not well-formed protobuf, or too large in memory.
  public static let malformed = WireError(reason: .malformed)

  /// Well-formed, but a value in it is longer than it may be.
  public static let tooLong = WireError(reason: .tooLong)

  /// Well-formed, but against a rule of the contract.
  ///
  /// - Parameter rule: What is broken, as in "a register has no stamp".
  public static func invalid(_ rule: String) -> WireError { WireError(reason: .rule(rule)) }

  /// The rule of the contract that is broken; nil if nothing could be read.
  public var rule: String? {
    switch reason {
    case .malformed: nil
    case .tooLong: "a value is too long"
    case .rule(let rule): rule
    }
  }
}
