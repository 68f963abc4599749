// SPDX-License-Identifier: Apache-2.0
// The message of KIND_WATER, in numbers: what a drink's registers hold together.

import AtrestReplication

/// The message of KIND_WATER. See `SessionMessage`.
public struct WaterMessage: WireMessage, FieldWriting {
  /// Time and amount.
  public struct Intake: Hashable, Sendable {
    /// Milliseconds since 1970, UTC.
    public var at: Int64
    /// The amount in millilitres.
    public var millilitres: UInt32

    /// Creates an intake from its fields, possible or not.
    public init(at: Int64, millilitres: UInt32) {
      self.at = at
      self.millilitres = millilitres
    }
  }

  /// Time and amount.
  public var intake: Intake?

  /// Creates a message from its field.
  public init(intake: Intake? = nil) {
    self.intake = intake
  }

  /// Decodes the message of a drink's record.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    self = try decode(bytes) { fields throws(WireError) in
      var message = WaterMessage()
      while let field = try fields.next() {
        switch Fields.Water(rawValue: field.number) {
        case .intake: message.intake = try Intake(field.content())
        case .deleted, .pruneFloor, nil: break
        }
      }
      return message
    }
  }

  /// The protobuf encoding.
  public var encoded: [UInt8] { encode(self) }

  func write(to sink: inout some FieldSink) {
    sink.message(Fields.Water.intake, intake)
  }
}

extension WaterMessage.Intake: FieldWriting {
  /// The fields are numbers, so a later occurrence replaces an earlier one.
  init(_ bytes: Slice) throws(WireError) {
    self.init(at: 0, millilitres: 0)
    var fields = WireReader(bytes)
    while let field = try fields.next() {
      switch Fields.WaterIntake(rawValue: field.number) {
      case .atMs: at = try field.int64()
      case .millilitres: millilitres = try field.uint32()
      case nil: break
      }
    }
  }

  func write(to sink: inout some FieldSink) {
    sink.number(Fields.WaterIntake.atMs, at)
    sink.number(Fields.WaterIntake.millilitres, millilitres)
  }
}

/// The field of a water entry.
public enum WaterField {
  /// Time and amount.
  public static let intake = Fields.Water.intake.rawValue
}
