// SPDX-License-Identifier: Apache-2.0
// How the claims of a statement are read: each by its name, in the one form it may have.

import AtrestReplication
import Foundation

/// The members of a signed payload. A claim that is absent or `null` is absent; one of another form
/// makes the statement malformed.
struct Claims {
  private let members: [String: StrictJSON]

  init(_ statement: SignedStatement) {
    members = statement.claims
  }

  /// Times after 1970 and before the year 6430: those that can be stored.
  private static let times: Range<Int64> = 1..<(1 << 47)

  private func claim(_ name: String) -> StrictJSON? {
    guard let value = members[name], value != .null else { return nil }
    return value
  }

  func text(_ name: String) throws(EntitlementRejection) -> String {
    guard let text = claim(name)?.text else { throw .malformed }
    return text
  }

  /// An id of the App Store: 1 to 64 printable characters of ASCII.
  func identifier(_ name: String) throws(EntitlementRejection) -> String {
    let text = try text(name)
    guard (1...64).contains(text.utf8.count),
      text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    else { throw .malformed }
    return text
  }

  func optionalNumber(_ name: String) throws(EntitlementRejection) -> Int64? {
    guard let value = claim(name) else { return nil }
    guard let number = value.number else { throw .malformed }
    return number
  }

  /// Milliseconds since 1970.
  func optionalTime(_ name: String) throws(EntitlementRejection) -> WallTime? {
    guard let milliseconds = try optionalNumber(name) else { return nil }
    guard Self.times.contains(milliseconds) else { throw .malformed }
    return WallTime(milliseconds: milliseconds)
  }

  func optionalUUID(_ name: String) throws(EntitlementRejection) -> UUID? {
    guard let value = claim(name) else { return nil }
    guard let id = value.text.flatMap(UUID.init(uuidString:)) else { throw .malformed }
    return id
  }
}
