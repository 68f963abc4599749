// SPDX-License-Identifier: Apache-2.0
// A setting of the garden.

import AtrestReplication

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
