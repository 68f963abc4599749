// SPDX-License-Identifier: Apache-2.0
// Finds the cell of a call: by the caller's credentials, by a pairing code, or as the owner says.

import AtrestHTTP2
import AtrestProtocol
import AtrestRPC
import AtrestReplication
import AtrestWire
import Synchronization

/// A device that calls, and the cell of its account.
struct CellCaller: Sendable {
  let cell: Cell
  let session: DeviceSession
}

/// The cells of a server. Thread-safe.
final class Cells: Sendable {
  /// Ascending by number; at least one.
  let all: [Cell]
  private let byNumber: [CellNumber: Cell]
  private let environment: Environment
  /// Where devices were found whose accounts were moved. A hint: the other cell decides.
  private let moved = Mutex<[ReplicaID: CellNumber]>([:])

  /// Devices in `moved`. Beyond it all are forgotten, and asked for again.
  private static let movedLimit = 50_000
  /// How often a device is sent on: an account that is moved on meanwhile needs more than one.
  private static let hops = 4

  /// The metadata with which the owner's commands name a cell.
  static let metadataName = "atrest-cell"

  /// - Precondition: There is at least one cell, and no number twice.
  init(_ cells: [Cell], environment: Environment) {
    precondition(!cells.isEmpty, "a server has a cell")
    all = cells.sorted { $0.number < $1.number }
    byNumber = Dictionary(uniqueKeysWithValues: cells.map { ($0.number, $0) })
    self.environment = environment
  }

  /// Whether calls of some accounts can be served: a cell that is away must not take the others
  /// along.
  var isUsable: Bool { all.contains { $0.backend.isUsable } }

  // MARK: Devices

  /// Authenticates a device by its credentials, in the cell that its account lives in.
  func authorize(_ head: CallHead) -> Authorization<CellCaller> {
    guard let credentials = Credentials(head.metadata) else { return .refused(.unknownDevice) }
    return authorize(credentials.token, in: credentials.cell, issuer: credentials.cell)
  }

  /// - Parameter issuer: The cell that the credentials name.
  private func authorize(
    _ token: Token, in number: CellNumber, issuer: CellNumber
  ) -> Authorization<CellCaller> {
    guard let cell = byNumber[number] else { return .refused(.notServed(number)) }
    switch cell.registry.authenticate(token, at: environment.now()) {
    case .device(let session):
      return .granted(CellCaller(cell: cell, session: session), session.grant)
    case .refused: return .refused(.unknownDevice)
    case .unknown(let token):
      guard let lookup = cell.backend.shared?.lookup else { return .refused(.unknownDevice) }
      return .later { decision in
        lookup.authenticate(token) { result in
          switch result {
          case .success(.device(let session)):
            decision(.granted(CellCaller(cell: cell, session: session), session.grant))
          case .success: decision(.refused(.unknownDevice))
          case .failure(let error): decision(.refused(Status(error)))
          }
        }
      }
    }
  }

  /// The cell that a Pair request's code names. What is no code is refused by any of them.
  func cell(pairing bytes: [UInt8]) throws(Status) -> Cell {
    let code = PairingCode(try decoded(PairRequest.self, bytes).code)
    guard let number = code?.cell else { return all[0] }
    guard let cell = byNumber[number] else { throw .notServed(number) }
    return cell
  }

  // MARK: The owner

  /// Lists the numbered cells.
  func list(_ bytes: [UInt8]) throws(Status) -> [UInt8] {
    _ = try decoded(EmptyMessage.self, bytes)
    return ListCellsResponse(cells: all.map(\.number).filter { $0 != .sole }.map(\.rawValue)).packed
  }

  /// The cell that a command names; the first one if it names none.
  func authorizeOwner(_ head: CallHead) -> Authorization<Cell> {
    guard let name = head.metadata.onlyBytes(Self.metadataName) else { return .admitted(all[0]) }
    guard let number = CellNumber(name), let cell = byNumber[number] else {
      let numbers = all.map(\.number.description).joined(separator: ", ")
      return .refused(
        Status(
          .notFound,
          all[0].number == .sole && all.count == 1
            ? "This server has no numbered cells. Leave out --cell."
            : "This server does not serve that cell. It serves \(numbers)."))
    }
    return .admitted(cell)
  }
}

extension Status {
  /// Not UNAUTHENTICATED: the device has access, at another server.
  fileprivate static func notServed(_ cell: CellNumber) -> Status {
    Status(
      .unavailable,
      cell == .sole
        ? "This server serves numbered cells only, and this account is in a store without a number."
        : "This server does not serve cell \(cell), which holds this account.")
  }
}
