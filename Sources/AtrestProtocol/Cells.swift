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
