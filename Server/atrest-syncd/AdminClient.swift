// SPDX-License-Identifier: Apache-2.0
// Connects commands to the running daemon. Commands never open the store: two writing processes
// could corrupt it.

import AtrestCommandLine
import AtrestHTTP2
import AtrestProtocol
import AtrestRPC
import AtrestServer
import AtrestSockets
import AtrestWire
import Foundation

/// Calls the operator's socket of a running daemon.
struct AdminClient {
  let directory: String
  /// What the operator can do without a running server, for the error message. May be empty.
  var withoutServer = ""
  /// The cell that calls concern. Nil: the server's first one.
  var cell: CellNumber?

  /// How long to wait for a server that a script has just started.
  private static let startingTime = Duration.seconds(2)

  /// The same client for calls that concern a cell.
  func inCell(_ cell: CellNumber?) -> AdminClient {
    var client = self
    client.cell = cell
    return client
  }

  /// Calls the server.
  ///
  /// - Throws: `CommandFailure`.
  func call<Answer: PackedMessage>(
    _ method: String, _ request: some PackedMessage, as type: Answer.Type,
    timeout: Duration = .seconds(30)
  ) async throws -> Answer {
    switch try await result(method, request, as: type, timeout: timeout) {
    case .success(let answer): return answer
    case .failure(let status): throw await failure(status)
    }
  }

  /// Calls the server, and returns its status if it refuses.
  ///
  /// - Throws: `CommandFailure` if the server cannot be reached or understood.
  func result<Answer: PackedMessage>(
    _ method: String, _ request: some PackedMessage, as type: Answer.Type,
    timeout: Duration = .seconds(30)
  ) async throws -> Result<Answer, Status> {
    let path = Server.adminSocketPath(in: directory)
    let start = ContinuousClock.now
    while access(path, F_OK) != 0, errno == ENOENT, .now - start < Self.startingTime {
      try await Task.sleep(for: .milliseconds(20))
    }
    return try await callNow(method, request, as: type, timeout: timeout)
  }

  private func callNow<Answer: PackedMessage>(
    _ method: String, _ request: some PackedMessage, as type: Answer.Type, timeout: Duration
  ) async throws -> Result<Answer, Status> {
    let path = Server.adminSocketPath(in: directory)
    var status = stat()
    guard stat(path, &status) == 0 else {
      throw errno == EACCES ? notAllowed() : notRunning()
    }
    var configuration = GRPCChannel.Configuration()
    // Lists of thousands of accounts or devices are longer than a page of records.
    configuration.limits.maxMessageBytes = 8 * 1024 * 1024
    var metadata = Metadata()
    if let cell { metadata.add("atrest-cell", cell.description) }
    do {
      let endpoint = Endpoint.address(.unix(path: path))
      let channel = try GRPCChannel(to: endpoint, configuration: configuration)
      let reply: Result<[UInt8], Status>
      do throws(Status) {
        reply = .success(
          try await channel.unary(method, request.packed, metadata: metadata, timeout: timeout))
      } catch {
        reply = .failure(error)
      }
      await channel.close()
      switch reply {
      case .success(let bytes): return .success(try Answer(unpacking: bytes))
      case .failure(let status): return .failure(status)
      }
    } catch let error as SocketError {
      throw CommandFailure(error.userMessage, .unavailable)
    } catch is WireError {
      throw CommandFailure(
        "The server's answer cannot be read. It may be of another version.", .data)
    }
  }

  /// What the owner is told of a status.
  func failure(_ status: Status) async -> CommandFailure {
    // It may be the server's own answer: about its database, or an account that is being moved.
    guard status.code == .unavailable, await !isRunning() else {
      return CommandFailure(status.message, ExitStatus(status.code))
    }
    return notRunning()
  }

  /// Whether a server answers what needs no store.
  private func isRunning() async -> Bool {
    let answer = try? await callNow(
      Method.Admin.listCells, EmptyMessage(), as: ListCellsResponse.self, timeout: .seconds(2))
    guard case .success = answer else { return false }
    return true
  }

  private func notAllowed() -> CommandFailure {
    CommandFailure(
      "This user may not look into \(directory). Run the command as the owner of the server.",
      .notPermitted)
  }

  private func notRunning() -> CommandFailure {
    CommandFailure(
      "The server is not running at \(directory). "
        + "Start it with: atrest-syncd serve --data \(directory)" + withoutServer, .unavailable)
  }
}
