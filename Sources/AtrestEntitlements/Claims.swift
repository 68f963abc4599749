// SPDX-License-Identifier: Apache-2.0
// Reads the claims of a statement, each in the one form allowed.

import AtrestDomain
import AtrestReplication
import Foundation

/// The members of a signed payload. An absent or `null` claim is absent; one of the wrong type
/// makes the statement malformed.
struct Claims {
  private let members: [String: StrictJSON]

  init(_ statement: SignedStatement) {
    members = statement.claims
  }

  private func claim(_ name: String) -> StrictJSON? {
    guard let value = members[name], value != .null else { return nil }
    return value
  }

  func text(_ name: String) throws(EntitlementRejection) -> String {
    guard let text = claim(name)?.text else { throw .malformed }
    return text
  }

  /// An App Store identifier: 1 to 64 printable ASCII characters.
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
    guard WallTime.recordable.contains(milliseconds) else { throw .malformed }
    return WallTime(milliseconds: milliseconds)
  }

  func optionalUUID(_ name: String) throws(EntitlementRejection) -> UUID? {
    guard let value = claim(name) else { return nil }
    guard let id = value.text.flatMap(UUID.init(uuidString:)) else { throw .malformed }
    return id
  }
}
