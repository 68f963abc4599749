// SPDX-License-Identifier: Apache-2.0
// The key of a setting.

import AtrestReplication

/// The key of a setting: 1 to 96 bytes of UTF-8.
public struct SettingKey: RecordIdentifier {
  /// The key.
  public let text: String

  /// A key; nil unless it has 1 to 96 bytes.
  public init?(_ text: String) {
    guard (1...96).contains(text.utf8.count) else { return nil }
    self.text = text
  }

  private init(known text: String) { self.text = text }

  /// What the garden is called.
  public static let gardenName = SettingKey(known: "trunk.name")

  /// The key in UTF-8.
  public var bytes: [UInt8] { Array(text.utf8) }

  /// The key of a record's id; nil if it is no UTF-8.
  public init?(bytes: [UInt8]) {
    guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
    self.init(text)
  }
}
