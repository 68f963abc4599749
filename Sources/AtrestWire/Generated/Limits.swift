// SPDX-License-Identifier: Apache-2.0
// The limits of the protocol. Made by Scripts/generate-protos.

/// The limits of the protocol, inclusive: see limits.proto.
public enum Limit {
  /// Bytes of one message, request or response.
  public static let messageBytes = 262_144
  /// Fields of one message, unknown ones included and those of embedded messages not.
  public static let messageFields = 4_096
  /// Offers of one request; records and verdicts of one response.
  public static let pageRecords = 1_000
  /// Bytes of one page's records together.
  public static let pageRecordBytes = 245_760
  /// Bytes of a record's id.
  public static let idBytes = 96
  /// Bytes of a journal entry's id, which contains another record's.
  public static let conflictIDBytes = 128
  /// Registers of one record.
  public static let registers = 64
  /// Stamps of one register's `held_stamps`.
  public static let heldStamps = 64
  /// Bytes of one register's value.
  public static let valueBytes = 16_384
  /// Bytes of the value of a journal entry's field 2, which contains two of another record.
  public static let conflictValueBytes = 33_792
  /// Bytes of the value of a journal entry's field 3, which contains another record.
  public static let conflictRecordBytes = 65_544
  /// Bytes of one encoded record.
  public static let recordBytes = 65_536
  /// Bytes of one encoded journal entry.
  public static let conflictBytes = 102_400
  /// The greatest number of a field.
  public static let fieldNumber = 536_870_911
  /// Minutes of a planned fast: 14 days.
  public static let targetMinutes = 20_160
  /// Millilitres of one drink.
  public static let millilitres = 20_000
  /// Bytes of a setting's value.
  public static let settingBytes = 4_096
  /// Ranges of one comparison.
  public static let ranges = 1_000
  /// Items of one comparison, in all its ranges.
  public static let items = 4_000
  /// Records of a range that is compared item by item.
  public static let smallRange = 32
  /// Bytes of a device's or an account's name.
  public static let nameBytes = 64
  /// Bytes of a pairing code as sent, punctuation included.
  public static let codeBytes = 64
  /// Bytes of a device's token.
  public static let tokenBytes = 256
  /// The fewest bytes of a nonce that is not empty.
  public static let nonceMinBytes = 16
  /// The most bytes of a nonce.
  public static let nonceMaxBytes = 64
  /// The digits that a pending device shows: exactly this many.
  public static let digits = 6
  /// Bytes of a page's token.
  public static let pageTokenBytes = 64
  /// Bytes of a server's version.
  public static let versionBytes = 64
  /// Capabilities of a server.
  public static let capabilities = 64
  /// Events of one page.
  public static let events = 500
  /// Events of a page whose request names no number.
  public static let eventsDefault = 100
  /// Bytes of a sentence for people.
  public static let sentenceBytes = 1_024
  /// Bytes of a rejection's code.
  public static let rejectionCodeBytes = 64
  /// Bytes of `app_account_token`: exactly this many.
  public static let accountTokenBytes = 16
  /// Bytes of a service's name.
  public static let serviceBytes = 256
}
