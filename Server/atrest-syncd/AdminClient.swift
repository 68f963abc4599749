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

  /// How long to wait for a server that a script has just started.
  private static let startingTime = Duration.seconds(2)

  func call<Answer: PackedMessage>(
    _ method: String, _ request: some PackedMessage, as type: Answer.Type,
    timeout: Duration = .seconds(30)
  ) async throws -> Answer {
    let path = Server.adminSocketPath(in: directory)
    let start = ContinuousClock.now
    while access(path, F_OK) != 0, errno == ENOENT, .now - start < Self.startingTime {
      try await Task.sleep(for: .milliseconds(20))
    }
    return try await callNow(method, request, as: type, timeout: timeout)
  }

  private func callNow<Answer: PackedMessage>(
    _ method: String, _ request: some PackedMessage, as type: Answer.Type, timeout: Duration
  ) async throws -> Answer {
    let path = Server.adminSocketPath(in: directory)
    var status = stat()
    guard stat(path, &status) == 0 else {
      throw errno == EACCES ? notAllowed() : notRunning()
    }
    var configuration = GRPCChannel.Configuration()
    // Lists of thousands of accounts or devices are longer than a page of records.
    configuration.limits.maxMessageBytes = 8 * 1024 * 1024
    do {
      let endpoint = Endpoint.address(.unix(path: path))
      let channel = try GRPCChannel(to: endpoint, configuration: configuration)
      let reply: Result<[UInt8], Status>
      do throws(Status) {
        reply = .success(
          try await channel.unary(method, request.packed, timeout: timeout))
      } catch {
        reply = .failure(error)
      }
      await channel.close()
      return try Answer(unpacking: try reply.get())
    } catch let status as Status {
      throw status.code == .unavailable
        ? notRunning() : CommandFailure(status.message, ExitStatus(status.code))
    } catch let error as SocketError {
      throw CommandFailure(error.userMessage, .unavailable)
    } catch is WireError {
      throw CommandFailure(
        "The server's answer cannot be read. It may be of another version.", .data)
    }
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
