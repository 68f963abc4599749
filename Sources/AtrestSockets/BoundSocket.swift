// SPDX-License-Identifier: Apache-2.0
// Opens a listening socket and manages the file of a Unix socket.

import CAtrestEpoll
import Glibc

/// A listening socket. Its owner closes the descriptor.
struct BoundSocket {
  let descriptor: CInt
  let address: SocketAddress
  let file: UnixSocketFile?

  init(listeningOn address: SocketAddress) throws(SocketError) {
    func failure(_ code: CInt) -> SocketError {
      SocketError(.listen, errno: code, address: address.description)
    }
    let descriptor = atrest_socket(address.family)
    guard descriptor >= 0 else { throw failure(errno) }
    do throws(SocketError) {
      if case .unix(let path) = address {
        file = try Self.bindFile(descriptor, path: path, address: address)
      } else {
        var on: CInt = 1
        let size = socklen_t(MemoryLayout<CInt>.size)
        // Without it, a restart fails for a minute while old connections are in TIME_WAIT.
        _ = setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, size)
        // An IPv6 listener must not also accept IPv4: ::1 means only ::1.
        if case .ipv6 = address {
          _ = setsockopt(descriptor, CInt(IPPROTO_IPV6), IPV6_V6ONLY, &on, size)
        }
        let code = Self.bind(descriptor, address)
        guard code == 0 else { throw failure(code) }
        file = nil
      }
      guard listen(descriptor, SOMAXCONN) == 0 else {
        let code = errno
        file?.remove()
        throw failure(code)
      }
    } catch {
      _ = close(descriptor)
      throw error
    }
    self.descriptor = descriptor
    self.address = Self.boundAddress(descriptor) ?? address
  }

  private static func bind(_ descriptor: CInt, _ address: SocketAddress) -> CInt {
    address.withSockaddr { Glibc.bind(descriptor, $0, $1) == 0 ? 0 : errno } ?? EINVAL
  }

  private static func bindFile(
    _ descriptor: CInt, path: String, address: SocketAddress
  ) throws(SocketError) -> UnixSocketFile {
    var code = bind(descriptor, address)
    if code == EADDRINUSE, isAbandoned(path, address) {
      _ = unlink(path)
      code = bind(descriptor, address)
    }
    guard code == 0 else { throw SocketError(.listen, errno: code, address: path) }
    // No client can connect before `listen`, so the socket is never open to other users.
    guard chmod(path, 0o600) == 0 else {
      let code = errno
      _ = unlink(path)
      throw SocketError(.listen, errno: code, address: path)
    }
    return UnixSocketFile(path: path)
  }

  /// True for a socket file without a listener; false for anything else.
  private static func isAbandoned(_ path: String, _ address: SocketAddress) -> Bool {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return false }
    let probe = atrest_socket(AF_UNIX)
    guard probe >= 0 else { return false }
    defer { _ = close(probe) }
    return address.withSockaddr { connect(probe, $0, $1) != 0 && errno == ECONNREFUSED } ?? false
  }

  private static func boundAddress(_ descriptor: CInt) -> SocketAddress? {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let result = withUnsafeMutablePointer(to: &storage) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
    }
    return result == 0 ? SocketAddress(storage, length: Int(length)) : nil
  }
}

/// The file of a listening Unix socket.
struct UnixSocketFile: Sendable {
  private let path: String
  private let device: dev_t
  private let inode: ino_t

  init(path: String) {
    self.path = path
    var status = stat()
    _ = lstat(path, &status)
    device = status.st_dev
    inode = status.st_ino
  }

  /// Removes the file, unless another process has replaced it.
  func remove() {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_dev == device, status.st_ino == inode else { return }
    _ = unlink(path)
  }
}
