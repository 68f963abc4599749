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
  private let proxies: TrustedProxies
  /// Where devices were found whose accounts were moved. A hint: the other cell decides.
  private let moved = Mutex<[ReplicaID: CellNumber]>([:])

  /// Devices in `moved`. Beyond it all are forgotten, and asked for again.
  private static let movedLimit = 50_000
  /// How often a device is sent on: an account that is moved on meanwhile needs more than one.
  private static let hops = 4

  /// The metadata with which the owner's commands name a cell.
  static let metadataName = "atrest-cell"

  /// - Precondition: There is at least one cell, and no number twice.
  init(
    _ cells: [Cell], environment: Environment, proxies: TrustedProxies = TrustedProxies()
  ) {
    precondition(!cells.isEmpty, "a server has a cell")
    all = cells.sorted { $0.number < $1.number }
    byNumber = Dictionary(uniqueKeysWithValues: cells.map { ($0.number, $0) })
    self.environment = environment
    self.proxies = proxies
  }

  /// Whether calls of some accounts can be served: a cell that is away must not take the others
  /// along.
  var isUsable: Bool { all.contains { $0.backend.isUsable } }

  // MARK: Devices

  /// Authenticates a device by its credentials, in the cell that its account lives in.
  func authorize(_ head: CallHead) -> Authorization<CellCaller> {
    guard let credentials = Credentials(head.metadata) else { return .refused(.unknownDevice) }
    let number = hint(credentials) ?? credentials.cell
    // Most calls, without a copy of their heads.
    if let cell = self[number],
      case .device(let session) = cell.registry.authenticate(
        credentials.token, at: environment.now())
    {
      return .granted(CellCaller(cell: cell, session: session), session.grant)
    }
    return authorize(
      Attempt(credentials: credentials, head: head), in: number, hops: Self.hops)
  }

  private func hint(_ credentials: Credentials) -> CellNumber? {
    all.count == 1 ? nil : moved.withLock { $0[credentials.token.replica] }
  }

  private subscript(number: CellNumber) -> Cell? {
    guard all.count == 1 else { return byNumber[number] }
    return all[0].number == number ? all[0] : nil
  }

  /// Credentials, and the call that showed them.
  private struct Attempt: Sendable {
    let credentials: Credentials
    let head: CallHead
  }

  /// - Parameter hops: How often it may be sent to another cell.
  private func authorize(
    _ attempt: Attempt, in number: CellNumber, hops: Int
  ) -> Authorization<CellCaller> {
    let credentials = attempt.credentials
    guard let cell = self[number] else { return .refused(.notServed(number)) }
    switch cell.registry.authenticate(credentials.token, at: environment.now()) {
    case .device(let session):
      return .granted(CellCaller(cell: cell, session: session), session.grant)
    case .refused: return .refused(.unknownDevice)
    case .unknown(let token):
      guard let lookup = cell.backend.shared?.lookup else { return .refused(.unknownDevice) }
      return .later { [self] decision in
        let peer = AttemptLimiter.keys(of: proxies.caller(of: attempt.head)).last
        lookup.authenticate(token, from: peer) { [self] result in
          decide(result, attempt, in: cell, hops: hops, decision)
        }
      }
    }
  }

  private func decide(
    _ result: Result<DeviceLookup.Outcome, StoreError>, _ attempt: Attempt, in cell: Cell,
    hops: Int, _ decision: AuthorizationDecision<CellCaller>
  ) {
    let credentials = attempt.credentials
    switch result {
    case .success(.device(let session)):
      note(credentials, in: cell.number)
      decision(.granted(CellCaller(cell: cell, session: session), session.grant))
    case .success(.refused) where cell.number != credentials.cell && hops > 0:
      // The hint may be out of date.
      note(credentials, in: credentials.cell)
      goOn(attempt, in: credentials.cell, hops: hops - 1, decision)
    case .success(.refused): decision(.refused(.unknownDevice))
    case .success(.moved(let next)) where hops > 0:
      goOn(attempt, in: next, hops: hops - 1, decision)
    case .success(.moved): decision(.refused(.moving))
    case .failure(let error): decision(.refused(Status(error)))
    }
  }

  private func goOn(
    _ attempt: Attempt, in number: CellNumber, hops: Int,
    _ decision: AuthorizationDecision<CellCaller>
  ) {
    switch authorize(attempt, in: number, hops: hops) {
    case .later(let decide): decide(decision)
    case let decided: decision(decided)
    }
  }

  /// Notes where a device was found.
  private func note(_ credentials: Credentials, in cell: CellNumber) {
    moved.withLock { moved in
      guard cell != credentials.cell else {
        if !moved.isEmpty { moved[credentials.token.replica] = nil }
        return
      }
      if moved.count >= Self.movedLimit { moved = [:] }
      moved[credentials.token.replica] = cell
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

  /// Moves an account to another cell, or takes an interrupted move back.
  func moveAccount(
    from source: Cell, _ bytes: [UInt8], answer: () -> Answer
  ) throws(Status) -> UnaryOutcome {
    let request = try decoded(MoveAccountRequest.self, bytes)
    guard let number = CellNumber(Int(request.cell)), let target = byNumber[number] else {
      throw .notServed(among: all)
    }
    guard let from = source.backend.shared, let to = target.backend.shared else {
      throw Status(.failedPrecondition, "This server has no cells, only a file.")
        .because(.cellNotServed, retry: .useless)
    }
    let later = answer()
    Task {
      let outcome: UnaryOutcome
      do throws(AccountMoveError) {
        outcome = .reply(try await Self.move(request, from: from, to: to).packed)
      } catch {
        outcome = .fail(
          Status(
            error.statusCode,
            error.userMessage(name: request.account, from: source.number, to: number)
          ).because(error.reason))
      }
      var answers = ResponseBatch()
      later(outcome, &answers)
      answers.deliver()
    }
    return .later
  }

  private static func move(
    _ request: MoveAccountRequest, from source: PostgresBackend, to target: PostgresBackend
  ) async throws(AccountMoveError) -> MoveAccountResponse {
    let move = AccountMove(from: source, to: target)
    guard !request.isCancelled else {
      try await move.cancel(request.account)
      return MoveAccountResponse(devices: 0, records: 0)
    }
    let rows = try await move.run(request.account).rows
    return MoveAccountResponse(devices: rows[.devices] ?? 0, records: rows[.records] ?? 0)
  }

  /// Lists the numbered cells.
  func list(_ bytes: [UInt8]) throws(Status) -> [UInt8] {
    _ = try decoded(EmptyMessage.self, bytes)
    return ListCellsResponse(cells: all.map(\.number).filter { $0 != .sole }.map(\.rawValue)).packed
  }

  /// The cell that a command names; the first one if it names none.
  func authorizeOwner(_ head: CallHead) -> Authorization<Cell> {
    guard let name = head.metadata.onlyBytes(Self.metadataName) else { return .admitted(all[0]) }
    guard let number = CellNumber(name), let cell = byNumber[number] else {
      return .refused(.notServed(among: all))
    }
    return .admitted(cell)
  }
}

extension AccountMoveError {
  fileprivate var statusCode: StatusCode {
    switch self {
    case .unknownAccount: .notFound
    case .source, .target: isRefusal ? .failedPrecondition : .aborted
    default: .failedPrecondition
    }
  }

  fileprivate var reason: ErrorReason {
    statusCode == .notFound ? .accountNotFound : .accountMoveFailed
  }
}

extension Status {
  fileprivate static func notServed(among cells: [Cell]) -> Status {
    let numbers = cells.map(\.number).filter { $0 != .sole }
    return Status(
      .notFound,
      numbers.isEmpty
        ? "This server has no numbered cells."
        : "This server does not serve that cell. It serves "
          + numbers.map(\.description).joined(separator: ", ") + "."
    ).because(.cellNotServed)
  }

  /// Not UNAUTHENTICATED: the device has access, at another server.
  fileprivate static func notServed(_ cell: CellNumber) -> Status {
    Status(
      .unavailable,
      cell == .sole
        ? "This server serves numbered cells only, and this account is in a store without a number."
        : "This server does not serve cell \(cell), which holds this account."
    ).because(.cellNotServed)
  }
}
