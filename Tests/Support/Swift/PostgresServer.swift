// SPDX-License-Identifier: Apache-2.0
// A PostgreSQL of the tests' own, which ends with the process that started it.

import Foundation
import Glibc

/// A server in a temporary folder, on a Unix socket, and on loopback with TLS.
///
/// A shell runs it, and stops it when its standard input ends: that is a pipe that only this
/// process holds, so however the tests end, nothing is left behind.
public final class PostgresServer: Sendable {
  /// The one server of a test run. The first test that needs it waits a second or two for it.
  public static let shared = Result { try PostgresServer() }
  /// One whose commits wait for a standby that does not exist.
  public static let awaitingStandby = Result {
    try PostgresServer(settings: ["synchronous_standby_names=absent"])
  }

  /// The folder of its socket, its log, and its data.
  public let folder: String
  public let port: UInt16
  /// Held open: its end stops the server.
  private let leash: FileHandle

  /// The script's arguments: a new folder, then settings.
  private static let script = """
    set -eu
    folder=$1
    shift
    # Only the end of the input stops the server, not a signal to everybody in the terminal.
    trap '' INT TERM HUP
    bin=$(pg_config --bindir)
    [ -x "$bin/initdb" ] || bin=$(ls -d /usr/lib/postgresql/*/bin | sort -V | tail -n 1)
    trap '"$bin/pg_ctl" -D "$folder/data" -m immediate stop > /dev/null 2>&1; rm -rf "$folder"' EXIT
    "$bin/initdb" -D "$folder/data" -U postgres -A scram-sha-256 --pwfile "$folder/password" \
      -E UTF8 --locale=C --no-sync > /dev/null
    openssl req -new -x509 -nodes -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -days 2 \
      -subj /CN=localhost -addext subjectAltName=DNS:localhost \
      -keyout "$folder/data/server.key" -out "$folder/data/server.crt" 2> /dev/null
    chmod 600 "$folder/data/server.key"
    {
      echo "listen_addresses = '127.0.0.1'"
      echo "ssl = on"
      echo "unix_socket_directories = '$folder'"
      echo "shared_buffers = 16MB"
      echo "max_connections = 200"
      echo "deadlock_timeout = 20ms"
      for setting; do echo "${setting%%=*} = '${setting#*=}'"; done
    } >> "$folder/data/postgresql.conf"
    # Below the ports that systems give out, so that nobody else takes it in between.
    for port in $(shuf -i 20000-32000 -n 10); do
      if "$bin/pg_ctl" -D "$folder/data" -l "$folder/log" -o "-p $port" -w start > /dev/null; then
        echo "$port"
        cat > /dev/null
        exit
      fi
    done
    tail "$folder/log" >&2
    """

  private let password = UUID().uuidString

  private init(settings: [String] = []) throws {
    folder = "/tmp/atrest-postgres-\(UUID().uuidString.prefix(13))"
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    let file = "\(folder)/password"
    try Data(password.utf8).write(to: URL(fileURLWithPath: file))
    var command = ["/bin/sh", "-c", Self.script, "sh", folder] + settings
    if getuid() == 0 {
      // PostgreSQL refuses to run as root. Its package has made a user.
      guard let user = getpwnam("postgres") else {
        throw PostgresServerError(
          "there is no user postgres: Scripts/install-missing test installs it")
      }
      for path in [folder, file] {
        guard chown(path, user.pointee.pw_uid, user.pointee.pw_gid) == 0 else {
          throw PostgresServerError("chown: errno \(errno)")
        }
      }
      command =
        ["/usr/bin/setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups"] + command
    }
    let input = Pipe()
    leash = input.fileHandleForWriting
    // No program that another test starts may hold it, too.
    _ = fcntl(leash.fileDescriptor, F_SETFD, FD_CLOEXEC)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: command[0])
    process.arguments = Array(command.dropFirst())
    process.currentDirectoryURL = URL(fileURLWithPath: folder)
    process.standardInput = input
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    // A server that does not start closes the pipe.
    var said = Data()
    while !said.contains(UInt8(ascii: "\n")) {
      let more = output.fileHandleForReading.availableData
      guard !more.isEmpty else { throw PostgresServerError("PostgreSQL did not start") }
      said.append(more)
    }
    guard let port = UInt16(String(decoding: said.dropLast(), as: UTF8.self)) else {
      throw PostgresServerError("PostgreSQL has no port")
    }
    self.port = port
  }

  public var socketPath: String { "\(folder)/.s.PGSQL.\(port)" }

  /// User and password: other users of this machine must not get in.
  public var login: String { "postgres:\(password)" }

  /// The server on its Unix socket.
  public var url: String { url(of: "postgres") }

  /// One of its databases, on its Unix socket.
  public func url(of database: String) -> String {
    "postgresql://\(login)@/\(database)?host=\(folder)&port=\(port)"
  }

  /// The server on loopback, believed by its certificate.
  public var encryptedURL: String {
    "postgresql://\(login)@localhost:\(port)/postgres"
      + "?sslmode=verify-full&sslrootcert=\(folder)/data/server.crt"
  }
}

/// A machine without what the tests need.
struct PostgresServerError: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
