// SPDX-License-Identifier: Apache-2.0
// Sagas, names, and settings.

import AtrestReplication

/// A saga: sprouts of one twig that belong together.
public struct Leaf: Hashable, Identifiable, Sendable {
  /// Chosen when it is created.
  public let id: RecordUUID
  /// In the person's words.
  public var name: String
  /// The twig that it is on.
  public var twig: Twig
  /// When it was created.
  public var created: WallTime

  /// A leaf.
  public init(id: RecordUUID, name: String, twig: Twig, created: WallTime) {
    (self.id, self.name, self.twig, self.created) = (id, name, twig, created)
  }
}

/// What a person calls a part of the tree.
public struct NodeLabel: Hashable, Identifiable, Sendable {
  /// The part.
  public let id: NodeID
  /// Its name; nil for none.
  public var label: String?
  /// A note about it; nil for none.
  public var note: String?

  /// A label, a note, or both.
  public init(id: NodeID, label: String? = nil, note: String? = nil) {
    (self.id, self.label, self.note) = (id, label, note)
  }
}

/// A setting of the garden, on all devices.
public struct GardenSetting: Hashable, Identifiable, Sendable {
  /// The setting.
  public let id: SettingKey
  /// Its value; the key determines the format.
  public var value: String

  /// A setting.
  public init(id: SettingKey, value: String) {
    (self.id, self.value) = (id, value)
  }
}

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
