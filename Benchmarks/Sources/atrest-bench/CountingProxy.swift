// SPDX-License-Identifier: Apache-2.0
// A proxy between client and daemon that counts bytes on the wire.

import Foundation
import Glibc
import Synchronization

/// Forwards connections from a loopback port. Uses blocking threads, so it is never part of a timed
/// run.
final class CountingProxy: Sendable {
  let port: UInt16
  private let listener: CInt
  private let upBytes = Atomic(0)
  private let downBytes = Atomic(0)

  init(to target: UInt16) throws {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    self.listener = listener
    var address = Self.loopback(port: 0)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, length) == 0 && listen(listener, 8) == 0
          && getsockname(listener, $0, &length) == 0
      }
    }
    guard isBound else { throw BenchmarkError(description: "no port for the proxy") }
    port = UInt16(bigEndian: address.sin_port)
    Thread.detachNewThread { [self] in
      while true {
        let client = accept(listener, nil, nil)
        guard client >= 0 else { return }
        let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = Self.loopback(port: target)
        _ = withUnsafePointer(to: &address) { pointer in
          pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            connect(server, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
          }
        }
        Thread.detachNewThread { self.pump(client, server, isUp: true) }
        Thread.detachNewThread { self.pump(server, client, isUp: false) }
      }
    }
  }

  /// The bytes so far, towards the server and back.
  var bytes: (up: Int, down: Int) {
    (upBytes.load(ordering: .relaxed), downBytes.load(ordering: .relaxed))
  }

  func stop() {
    shutdown(listener, Int32(SHUT_RDWR))
    close(listener)
  }

  private func pump(_ from: CInt, _ to: CInt, isUp: Bool) {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(from, &buffer, buffer.count)
      guard count > 0 else { break }
      if isUp {
        upBytes.add(count, ordering: .relaxed)
      } else {
        downBytes.add(count, ordering: .relaxed)
      }
      var sent = 0
      while sent < count {
        let written = buffer[sent..<count].withUnsafeBytes { write(to, $0.baseAddress, $0.count) }
        guard written > 0 else { break }
        sent += written
      }
    }
    shutdown(to, Int32(SHUT_WR))
  }

  private static func loopback(port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    return address
  }
}
