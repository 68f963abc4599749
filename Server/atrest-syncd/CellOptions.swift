// SPDX-License-Identifier: Apache-2.0
// Which cell a command concerns: the one that is named, or the one that holds an account.

import ArgumentParser
import AtrestCommandLine
import AtrestHTTP2
import AtrestProtocol
import AtrestServer
import AtrestWire

extension CellNumber: ExpressibleByArgument {
  package init?(argument: String) { self.init(argument.utf8) }
}

/// The option that names a cell.
struct CellOptions: ParsableArguments {
  @Option(
    name: .customLong("cell"),
    help: ArgumentHelp(
      "Only this cell, where the server has numbered cells (see serve --store).",
      valueName: "number"))
  var cell: CellNumber?
}

extension AdminClient {
  /// The cells that a command concerns: the one it names, or all. Nil stands for a server's only
  /// store.
  func cells(_ options: CellOptions) async throws -> [CellNumber?] {
    if let cell = options.cell { return [cell] }
    let answer = try await call(
      Method.Admin.listCells, EmptyMessage(), as: ListCellsResponse.self)
    let cells = answer.cells.compactMap { CellNumber(Int($0)) }
    return cells.isEmpty ? [nil] : cells
  }

  /// The client for the one cell that a command concerns.
  ///
  /// - Throws: `CommandFailure` if the server has several, and the command names none.
  func inCell(_ options: CellOptions) async throws -> AdminClient {
    let cells = try await cells(options)
    guard cells.count == 1 else {
      throw CommandFailure("This server has the cells \(Self.list(cells)). Add --cell.", .usage)
    }
    return inCell(cells[0])
  }

  /// The client for the cell that holds an account.
  ///
  /// - Throws: `CommandFailure` if none does, or several do.
  func inCell(of account: String, _ options: CellOptions) async throws -> AdminClient {
    let cells = try await cells(options)
    guard cells.count > 1 else { return inCell(cells[0]) }
    var (found, silent): ([CellNumber?], [CellNumber?]) = ([], [])
    for cell in cells {
      let devices = try await inCell(cell).result(
        Method.Admin.listDevices, AccountRequest(name: account),
        as: ListDevicesResponse.self)
      switch devices {
      // Too many devices for one list: it exists.
      case .success: found.append(cell)
      case .failure(let status) where status.code == .resourceExhausted: found.append(cell)
      case .failure(let status) where status.code == .notFound: break
      // Its database is away, or the account is on its way from there: if no other cell has it, the
      // command says which.
      case .failure(let status) where status.code == .unavailable: silent.append(cell)
      case .failure(let status): throw await failure(status)
      }
    }
    guard found.count < 2 else {
      throw CommandFailure(
        "The cells \(Self.list(found)) have an account of this name each. Add --cell.", .usage)
    }
    guard let cell = found.first ?? (silent.count == 1 ? silent.first : nil) else {
      guard silent.isEmpty else {
        throw CommandFailure(
          "The cells \(Self.list(silent)) cannot be asked at the moment. Add --cell.", .unavailable)
      }
      throw CommandFailure("There is no account of this name.", .data)
    }
    return inCell(cell)
  }

  private static func list(_ cells: [CellNumber?]) -> String {
    cells.compactMap { $0?.description }.joined(separator: ", ")
  }
}
