// SPDX-License-Identifier: Apache-2.0
// The message of KIND_SESSION, in numbers: what a fast's registers hold together.

import AtrestReplication

/// The message of KIND_SESSION. A register holds one of its fields, encoded alone; a record's
/// registers one after another are the whole message.
///
/// Fields of later versions are dropped here and kept in the record, whose values stay as they are.
public struct SessionMessage: WireMessage, FieldWriting {
  /// Start, end and outcome.
  public struct Span: Hashable, Sendable {
    /// Milliseconds since 1970, UTC.
    public var start: Int64
    /// Milliseconds since 1970, UTC; 0 while the fast is active.
    public var end: Int64
    /// The number of the outcome.
    public var outcome: UInt32

    /// Creates a span from its fields, possible or not.
    public init(start: Int64, end: Int64, outcome: UInt32) {
      self.start = start
      self.end = end
      self.outcome = outcome
    }
  }

  /// When the fast ran and how it ended.
  public var span: Span?
  /// The planned duration in minutes.
  public var targetMinutes: UInt32

  /// Creates a message from its fields.
  public init(span: Span? = nil, targetMinutes: UInt32 = 0) {
    self.span = span
    self.targetMinutes = targetMinutes
  }

  /// Decodes the message of a fast's record.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    self = try decode(bytes) { fields throws(WireError) in
      var message = SessionMessage()
      while let field = try fields.next() {
        switch Fields.Session(rawValue: field.number) {
        case .span: message.span = try Span(field.content())
        case .targetMinutes: message.targetMinutes = try field.uint32()
        case .deleted, .pruneFloor, nil: break
        }
      }
      return message
    }
  }

  /// The protobuf encoding.
  public var encoded: [UInt8] { encode(self) }

  func write(to sink: inout some FieldSink) {
    sink.message(Fields.Session.span, span)
    sink.number(Fields.Session.targetMinutes, targetMinutes)
  }
}

extension SessionMessage.Span: FieldWriting {
  /// The fields are numbers, so a later occurrence replaces an earlier one.
  init(_ bytes: Slice) throws(WireError) {
    self.init(start: 0, end: 0, outcome: 0)
    var fields = WireReader(bytes)
    while let field = try fields.next() {
      switch Fields.SessionSpan(rawValue: field.number) {
      case .startMs: start = try field.int64()
      case .endMs: end = try field.int64()
      case .outcome: outcome = try field.uint32()
      case nil: break
      }
    }
  }

  func write(to sink: inout some FieldSink) {
    sink.number(Fields.SessionSpan.startMs, start)
    sink.number(Fields.SessionSpan.endMs, end)
    sink.enumeration(Fields.SessionSpan.outcome, outcome)
  }
}

/// The fields of KIND_SESSION.
public enum SessionField {
  /// Start, end and outcome.
  public static let span = Fields.Session.span.rawValue
  /// The target duration in minutes.
  public static let target = Fields.Session.targetMinutes.rawValue

  /// Encodes the value of the `target` register.
  public static func encode(targetMinutes: Int) -> [UInt8] {
    SessionMessage(targetMinutes: UInt32(clamping: targetMinutes)).encoded
  }
}
