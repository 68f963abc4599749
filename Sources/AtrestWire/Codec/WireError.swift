// SPDX-License-Identifier: Apache-2.0
// Why bytes are not a valid message.

/// Why bytes are not a valid message. Contains none of their content.
///
/// A struct, so that new cases break no caller's `switch`.
public struct WireError: Error, Hashable, Sendable {
  private enum Reason: Hashable, Sendable {
    case malformed
    case tooLong
    case rule(String)
  }

  private let reason: Reason

  /// Malformed protobuf, or too large in memory.
  public static let malformed = WireError(reason: .malformed)

  /// Well-formed, but an id, a value or a list exceeds its limit.
  public static let tooLong = WireError(reason: .tooLong)

  /// Well-formed, but violates a rule of the contract.
  ///
  /// - Parameter rule: The violation, as in "a register has no stamp".
  public static func invalid(_ rule: String) -> WireError { WireError(reason: .rule(rule)) }

  /// The violated rule; nil if the bytes are malformed.
  public var rule: String? {
    switch reason {
    case .malformed: nil
    case .tooLong: "a part is larger than allowed"
    case .rule(let rule): rule
    }
  }
}

extension WireError: CustomStringConvertible {
  /// The reason as logs show it.
  public var description: String { rule ?? "malformed" }
}
