// SPDX-License-Identifier: Apache-2.0
// The messages of the Admin service about cells.

import AtrestWire
import CAtrestProtos

/// The numbered cells of a server.
public struct ListCellsResponse: PackedMessage {
  /// The most cells that one server can have.
  private static let limit = 1000

  /// Ascending. Empty: there is one store, and it has no number.
  public var cells: [UInt16]

  /// Creates a response from its fields.
  public init(cells: [UInt16]) {
    self.cells = cells
  }

  /// Unpacks a protobuf-encoded response.
  public init(unpacking bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__admin__v1__list_cells_response__unpack) {
      message throws(WireError) in
      guard message.n_cells <= Self.limit else { throw .malformed }
      let numbers = UnsafeBufferPointer(start: message.cells, count: message.n_cells)
      return ListCellsResponse(cells: numbers.map { UInt16(clamping: $0) })
    }
  }

  /// The protobuf encoding.
  public var packed: [UInt8] {
    packing(atrest__admin__v1__list_cells_response__init) { message, arena in
      message.n_cells = cells.count
      message.cells = arena.array(cells) { UInt32($0) }
    }
  }
}

/// Names an account and the cell to move it to.
public struct MoveAccountRequest: PackedMessage {
  /// The account's name.
  public var account: String
  /// The number of the cell.
  public var cell: UInt32
  /// Whether an interrupted move is taken back.
  public var isCancelled: Bool

  /// Creates a request from its fields.
  public init(account: String, cell: UInt32, isCancelled: Bool = false) {
    self.account = account
    self.cell = cell
    self.isCancelled = isCancelled
  }

  /// Unpacks a protobuf-encoded request.
  public init(unpacking bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__admin__v1__move_account_request__unpack) {
      message throws(WireError) in
      MoveAccountRequest(
        account: try text(message.account, limitBytes: Limit.nameBytes), cell: message.to_cell,
        isCancelled: message.cancel != 0)
    }
  }

  /// The protobuf encoding.
  public var packed: [UInt8] {
    packing(atrest__admin__v1__move_account_request__init) { message, arena in
      message.account = arena.text(account)
      message.to_cell = cell
      message.cancel = isCancelled ? 1 : 0
    }
  }
}

/// What was moved.
public struct MoveAccountResponse: PackedMessage {
  /// Devices, including revoked ones.
  public var devices: Int
  /// Records, including deleted ones and the journal.
  public var records: Int

  /// Creates a response from its fields.
  public init(devices: Int, records: Int) {
    self.devices = devices
    self.records = records
  }

  /// Unpacks a protobuf-encoded response.
  public init(unpacking bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__admin__v1__move_account_response__unpack) {
      message throws(WireError) in
      MoveAccountResponse(
        devices: Int(clamping: message.devices), records: Int(clamping: message.records))
    }
  }

  /// The protobuf encoding.
  public var packed: [UInt8] {
    packing(atrest__admin__v1__move_account_response__init) { message, _ in
      message.devices = UInt64(clamping: devices)
      message.records = UInt64(clamping: records)
    }
  }
}
