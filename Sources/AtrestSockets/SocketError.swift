// SPDX-License-Identifier: Apache-2.0
// A socket error with a message for the user.

import Glibc

/// A failed socket operation.
public struct SocketError: Error, Equatable, Sendable {
  /// The operation that failed.
  public enum Operation: Sendable, Equatable {
    /// Parsing an address.
    case parseAddress
    /// Resolving a host name.
    case resolve
    /// Opening a listening socket.
    case listen
    /// Connecting to a server.
    case connect
    /// Exchanging bytes on a connection.
    case transfer
    /// Creating a shard.
    case prepare
  }

  /// The operation that failed.
  public let operation: Operation
  /// The `errno` value, or 0 if there is none.
  public let code: CInt
  /// The address concerned, in written form, or empty.
  public let address: String
  /// The system's error text, or the reason found by this module.
  public let reason: String

  /// Creates an error from an `errno` value.
  public init(_ operation: Operation, errno code: CInt, address: String = "") {
    self.operation = operation
    self.code = code
    self.address = address
    reason = Self.text(of: code)
  }

  /// Creates an error found by this module.
  public init(_ operation: Operation, reason: String, address: String = "") {
    self.operation = operation
    code = 0
    self.address = address
    self.reason = reason
  }

  /// What happened, then what to do.
  public var userMessage: String {
    switch operation {
    case .parseAddress:
      return "“\(address)” is not an address: \(reason). "
        + "Write it like 127.0.0.1:7443, [::1]:7443 or /run/atrest.sock."
    case .resolve:
      return "The name “\(address)” was not found (\(reason)). Check its spelling and the network."
    case .listen where code == EADDRINUSE:
      return
        "\(address) is in use by another program. Stop that program, or choose another address."
    case .listen where code == EACCES || code == EPERM:
      return address.hasPrefix("/")
        ? "\(address) may not be made by this user. Choose another folder."
        : "\(address) may not be opened by this user: ports below 1024 are for privileged programs. "
          + "Choose one from 1024 on."
    case .listen where code == EADDRNOTAVAIL:
      return "\(address) is not an address of this machine. Choose one that is, such as 127.0.0.1."
    case .listen:
      return "\(address) could not be opened (\(reason)). Choose another address."
    case .connect where code == ECONNREFUSED || code == ENOENT:
      return "Nothing answers at \(address). Check the address, and that the server is running."
    case .connect where code == ETIMEDOUT:
      return "\(address) did not answer in time. Check the network, then try again."
    case .connect:
      return "\(address) could not be reached (\(reason)). Check the network, then try again."
    case .transfer:
      return "The connection to \(address) was lost (\(reason)). Try again."
    case .prepare where code == EMFILE || code == ENFILE:
      return "Too many files are open. Raise the limit (ulimit -n), then start again."
    case .prepare:
      return "The system refused a resource (\(reason)). Try again later."
    }
  }

  private static func text(of code: CInt) -> String {
    var buffer = [CChar](repeating: 0, count: 128)
    guard strerror_r(code, &buffer, buffer.count) == 0 else { return "error \(code)" }
    let text = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    return String(decoding: text, as: UTF8.self)
  }
}

extension SocketError: CustomStringConvertible {
  /// Equals `userMessage`.
  public var description: String { userMessage }
}
