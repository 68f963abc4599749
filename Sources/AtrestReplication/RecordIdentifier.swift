// SPDX-License-Identifier: Apache-2.0
// What a kind identifies its records by.

/// The identity of a record within its kind: a UUID where it is drawn, a name where it is known.
///
/// Records with one identity are one record on all devices. So what exists once, such as a setting,
/// has a name: two devices that create it apart from each other create the same record.
public protocol RecordIdentifier: Hashable, Sendable {
  /// The id as it is stored: 1 to 96 bytes, another one for each identity.
  var bytes: [UInt8] { get }
  /// The identity of stored bytes; nil if they are none. Such a record is kept, and not shown.
  init?(bytes: [UInt8])
}

extension RecordUUID: RecordIdentifier {}
