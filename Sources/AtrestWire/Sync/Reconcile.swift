// SPDX-License-Identifier: Apache-2.0
// Sync.Reconcile: range-based set reconciliation over adjacent key ranges.

import AtrestReplication

/// A replica's contents, to compare with the account's.
public struct ReconcileRequest: WireMessage, FieldWriting {
  /// Adjacent and ascending, from the first possible key.
  public var ranges: [KeyRange]
  /// The replica's position; nil if this response will not be stored.
  public var cursor: Cursor?

  /// Creates a request from its fields.
  public init(ranges: [KeyRange], cursor: Cursor? = nil) {
    self.ranges = ranges
    self.cursor = cursor
  }

  /// Decodes a request. Throws if its ranges and items do not ascend.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    self = try decode(bytes) { fields throws(WireError) in
      var ranges = AdjacentRanges()
      var cursor: Cursor?
      while let field = try fields.next() {
        switch Fields.ReconcileRequest(rawValue: field.number) {
        case .ranges: try ranges.append(field.content())
        case .lastKnownHead: cursor = try Cursor(field.content())
        case nil: break
        }
      }
      return ReconcileRequest(ranges: ranges.ranges, cursor: cursor)
    }
  }

  /// The protobuf encoding.
  public var encoded: [UInt8] { encode(self) }

  func write(to sink: inout some FieldSink) {
    sink.messages(Fields.ReconcileRequest.ranges, ranges)
    sink.message(Fields.ReconcileRequest.lastKnownHead, cursor)
  }
}

/// The differences between replica and account.
public struct ReconcileResponse: WireMessage, FieldWriting {
  /// The account's contents of differing ranges; the others are settled.
  public var ranges: [KeyRange]
  /// Encoded `Record`s that the replica lacks or has in another version.
  public var records: [[UInt8]]
  /// Keys of records that the account lacks or has in another version.
  public var wanted: [[UInt8]]
  /// The server's clock.
  public var serverTime: WallTime
  /// Whether the server does not know the request's `cursor`. All other fields are then empty.
  public var restarted: Bool

  /// Creates a response from its fields.
  public init(
    ranges: [KeyRange], records: [[UInt8]] = [], wanted: [[UInt8]] = [], serverTime: WallTime,
    restarted: Bool = false
  ) {
    self.restarted = restarted
    self.ranges = ranges
    self.records = records
    self.wanted = wanted
    self.serverTime = serverTime
  }

  /// Decodes a response. Its records stay encoded.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    self = try decode(bytes) { fields throws(WireError) in
      var ranges = AdjacentRanges()
      var response = ReconcileResponse(ranges: [], serverTime: WallTime(milliseconds: 0))
      while let field = try fields.next() {
        switch Fields.ReconcileResponse(rawValue: field.number) {
        case .ranges: try ranges.append(field.content())
        case .records: response.records.append([UInt8](try field.content()))
        case .wantedKeys: response.wanted.append([UInt8](try field.content()))
        case .serverTimeMs: response.serverTime = WallTime(milliseconds: try field.int64())
        case .restarted: response.restarted = field.bool
        case nil: break
        }
      }
      response.ranges = ranges.ranges
      try response.checkCounts()
      return response
    }
  }

  /// Checks the number of records and keys.
  package func checkCounts() throws(WireError) {
    guard records.count <= Limit.pageRecords, wanted.count <= Limit.items else {
      throw .invalid("a response has too many entries")
    }
  }

  /// The protobuf encoding.
  public var encoded: [UInt8] { encode(self) }

  func write(to sink: inout some FieldSink) {
    sink.messages(Fields.ReconcileResponse.ranges, ranges)
    sink.elements(Fields.ReconcileResponse.records, records)
    sink.elements(Fields.ReconcileResponse.wantedKeys, wanted)
    sink.number(Fields.ReconcileResponse.serverTimeMs, serverTime.milliseconds)
    sink.flag(Fields.ReconcileResponse.restarted, restarted)
  }
}
