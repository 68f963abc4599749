// SPDX-License-Identifier: Apache-2.0
// The message of KIND_PREFERENCE: a setting's value.

import AtrestReplication

/// The message of KIND_PREFERENCE. See `SessionMessage`.
public struct PreferenceMessage: WireMessage, FieldWriting {
  /// Text whose meaning depends on the setting's key.
  public var value: String

  /// Creates a message from its field.
  public init(value: String) {
    self.value = value
  }

  /// Decodes the message of a setting's record.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    self = try decode(bytes) { fields throws(WireError) in
      var value: Slice?
      while let field = try fields.next() {
        switch Fields.Preference(rawValue: field.number) {
        case .value: value = try field.content()
        case .deleted, .pruneFloor, nil: break
        }
      }
      return PreferenceMessage(value: try String(value, limitBytes: Limit.settingBytes))
    }
  }

  /// The protobuf encoding.
  public var encoded: [UInt8] { encode(self) }

  func write(to sink: inout some FieldSink) {
    sink.text(Fields.Preference.value, value)
  }
}

/// The field of KIND_PREFERENCE.
public enum PreferenceField {
  /// Text whose meaning depends on the setting's key.
  public static let value = Fields.Preference.value.rawValue
  /// Maximum bytes of a value.
  public static let limitBytes = Limit.settingBytes

  /// Encodes the value of the `value` register.
  public static func encode(_ text: String) -> [UInt8] {
    PreferenceMessage(value: text).encoded
  }

  /// Decodes a setting's value from its record.
  public static func value(of record: Record) throws(WireError) -> String {
    try PreferenceMessage(decoding: record.message).value
  }
}
