// SPDX-License-Identifier: Apache-2.0
// Where a database is, as its owner writes it.

import AtrestSockets
import CAtrestPQ
import Dispatch
import Glibc

/// A checked `postgresql://` URL of one database on one or more hosts. Never shows its password.
///
/// libpq reads the URL, and completes what it leaves open as it does for every program: PGUSER,
/// PGPASSWORD, `~/.pgpass`, PGSSLROOTCERT and so on. Only host names are resolved here, because
/// libpq would block the thread that connects.
package struct PostgresAddress: Sendable, Equatable {
  struct Host: Equatable, Sendable {
    /// A name, an address, or the folder of a Unix socket. Empty: libpq's own default folder.
    let name: String
    let port: UInt16
    /// The address that the URL gives besides the name.
    let address: String?
  }

  struct Parameter: Equatable, Sendable {
    let keyword: String
    let value: String
  }

  static let limitBytes = 4096
  static let hostsLimit = 16

  let hosts: [Host]
  /// Everything else, in libpq's words.
  let parameters: [Parameter]

  /// Reads `postgresql://user@host:5432/database?sslmode=verify-full`, with any number of hosts up
  /// to 16, or with the folder of a Unix socket as `?host=/run/postgresql`.
  /// - Throws: `PostgresError` whose meaning is `refused`. It repeats nothing of the text, in which
  ///   there may be a password.
  package init(parsing text: String) throws(PostgresError) {
    func wrong(_ reason: String) -> PostgresError {
      .refused(
        "its address is not usable, because \(reason). "
          + "Write it like postgresql://user@host:5432/database")
    }
    guard text.utf8.count <= Self.limitBytes else {
      throw wrong("it is longer than \(Self.limitBytes) bytes")
    }
    guard !text.utf8.contains(where: { $0 < 32 || $0 == 127 }) else {
      throw wrong("it has a control character")
    }
    guard text.hasPrefix("postgresql://") || text.hasPrefix("postgres://") else {
      throw wrong("it does not begin with postgresql://")
    }
    // libpq's own message would repeat the text.
    guard let options = Self.options(PQconninfoParse(text, nil)) else {
      throw wrong("PostgreSQL's library does not understand it")
    }
    for keyword in ["service", "replication"] where options[keyword] != nil {
      throw wrong("“\(keyword)” is not supported")
    }
    // PGHOST may hold a name, which has to be resolved here as well.
    let defaults = Self.options(PQconndefaults()) ?? [:]
    func list(_ keyword: String) -> [Substring] {
      let isGiven = options["host"] != nil || options["hostaddr"] != nil
      let value = options[keyword] ?? (isGiven && keyword != "port" ? nil : defaults[keyword])
      return value?.split(separator: ",", omittingEmptySubsequences: false) ?? []
    }
    let (names, addresses, ports) = (list("host"), list("hostaddr"), list("port"))
    let count = max(1, max(names.count, addresses.count))
    guard count <= Self.hostsLimit else { throw wrong("it has more than \(Self.hostsLimit) hosts") }
    guard names.isEmpty || names.count == count, addresses.isEmpty || addresses.count == count,
      ports.count <= 1 || ports.count == count
    else { throw wrong("it has not as many ports or addresses as hosts") }
    var hosts: [Host] = []
    for index in 0..<count {
      let written = ports.count > 1 ? ports[index] : ports.first ?? ""
      guard let port = written.isEmpty ? 5432 : UInt16(written), port > 0 else {
        throw wrong("a port is a number from 1 to 65535")
      }
      let address = addresses.isEmpty ? "" : addresses[index]
      let name = names.isEmpty ? "" : names[index]
      guard address.isEmpty || SocketAddress(host: address) != nil else {
        throw wrong("a hostaddr is an IP address")
      }
      hosts.append(
        Host(name: String(name), port: port, address: address.isEmpty ? nil : String(address)))
    }
    self.hosts = hosts
    parameters = options.filter { !["host", "hostaddr", "port"].contains($0.key) }
      .map { Parameter(keyword: $0.key, value: $0.value) }.sorted { $0.keyword < $1.keyword }
  }

  /// The options that have values. Frees the list. Nil if there is none.
  private static func options(
    _ list: UnsafeMutablePointer<PQconninfoOption>?
  ) -> [String: String]? {
    guard let list else { return nil }
    defer { PQconninfoFree(list) }
    var found: [String: String] = [:]
    var option = list
    while let keyword = option.pointee.keyword {
      if let value = option.pointee.val, value.pointee != 0 {
        found[String(cString: keyword)] = String(cString: value)
      }
      option += 1
    }
    return found
  }

  private func value(_ keyword: String) -> String? {
    parameters.first { $0.keyword == keyword }?.value
  }
}

extension PostgresAddress: CustomStringConvertible, CustomReflectable {
  /// The URL without password and options.
  package var description: String {
    let places = hosts.map { host in
      let name = host.name.isEmpty ? host.address ?? "" : host.name
      return (name.contains(":") ? "[\(name)]" : name) + ":\(host.port)"
    }
    let user = value("user").map { "\($0)@" } ?? ""
    return "postgresql://\(user)\(places.joined(separator: ","))/\(value("dbname") ?? "")"
  }

  /// Shows no more than `description`: debuggers and test reports look at what is stored.
  package var customMirror: Mirror { Mirror(self, children: [:]) }
}

// MARK: - Resolving

/// One address at which to try, in libpq's words. Connecting to it resolves nothing.
struct PostgresTarget: Equatable, Sendable {
  /// The name for certificates, or the folder of a Unix socket; empty for libpq's default folder.
  let host: String
  let hostAddress: String?
  let port: UInt16
}

extension PostgresAddress {
  /// The addresses of all hosts, in their order. Names are resolved on a queue of `AtrestSockets`:
  /// seconds, if DNS is slow.
  /// - Throws: `PostgresError` whose meaning is `connectionLost` if no host has an address.
  func targets(limit: Int) async throws(PostgresError) -> [PostgresTarget] {
    var found: [PostgresTarget] = []
    var problem: SocketError?
    for host in hosts {
      if let address = host.address ?? (SocketAddress(host: host.name) == nil ? nil : host.name) {
        found.append(PostgresTarget(host: host.name, hostAddress: address, port: host.port))
      } else if host.name.isEmpty || host.name.hasPrefix("/") || host.name.hasPrefix("@") {
        found.append(PostgresTarget(host: host.name, hostAddress: nil, port: host.port))
      } else {
        do {
          for address in try await Endpoint.host(host.name, port: host.port).resolve() {
            found.append(
              PostgresTarget(
                host: host.name, hostAddress: Self.text(of: address), port: host.port))
          }
        } catch {
          problem = error
        }
      }
    }
    if found.isEmpty { throw .lost(problem?.userMessage ?? "it has no address") }
    return Array(found.prefix(limit))
  }

  /// The address without its port.
  private static func text(of address: SocketAddress) -> String {
    let withPort = address.description
    let end = withPort.lastIndex(of: ":") ?? withPort.endIndex
    return withPort[..<end].trimmingBrackets
  }
}

extension Substring {
  fileprivate var trimmingBrackets: String {
    String(hasPrefix("[") && hasSuffix("]") ? dropFirst().dropLast() : self)
  }
}
