// SPDX-License-Identifier: Apache-2.0
// A socket address and its conversion to and from the kernel's form.

import Glibc

/// An IPv4 or IPv6 endpoint, or the path of a Unix socket.
public enum SocketAddress: Hashable, Sendable {
  /// `octets` are the four bytes in written order. `port` 0 requests a free port.
  case ipv4(octets: [UInt8], port: UInt16)
  /// `octets` are the sixteen bytes of the address. `scope` is an interface index; 0 for none.
  case ipv6(octets: [UInt8], port: UInt16, scope: UInt32)
  /// A path of at most 107 bytes, without NUL. Empty for a client that did not bind its socket.
  case unix(path: String)

  /// The port. Nil for a Unix socket.
  public var port: UInt16? {
    switch self {
    case .ipv4(_, let port), .ipv6(_, let port, _): port
    case .unix: nil
    }
  }

  /// Whether only this machine can be the peer: 127.0.0.0/8, ::1, the IPv4-mapped loopback range,
  /// and Unix sockets.
  public var isLoopback: Bool {
    switch self {
    case .unix:
      return true
    case .ipv4(let octets, _):
      return octets.first == 127
    case .ipv6(let octets, _, _):
      if octets == [UInt8](repeating: 0, count: 15) + [1] { return true }
      return octets.starts(with: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 127])
    }
  }

  /// Whether it is a wildcard address: 0.0.0.0 or [::].
  public var isAnyAddress: Bool {
    switch self {
    case .unix: false
    case .ipv4(let octets, _), .ipv6(let octets, _, _): octets.allSatisfy { $0 == 0 }
    }
  }

  /// The key by which peers are counted: the address without the port. An IPv6 peer owns its whole
  /// /64, so that counts as one. Nil for Unix sockets, which file permissions protect.
  public var peerKey: [UInt8]? {
    switch self {
    case .ipv4(let octets, _): octets
    case .ipv6(let octets, _, _):
      octets.starts(with: Self.mappedPrefix) ? Array(octets.suffix(4)) : Array(octets.prefix(8))
    case .unix: nil
    }
  }

  static let mappedPrefix: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff]

  var family: CInt {
    switch self {
    case .ipv4: AF_INET
    case .ipv6: AF_INET6
    case .unix: AF_UNIX
    }
  }

  /// Calls `body` with the address in the kernel's form. Nil if it has none (wrong number of
  /// octets, path too long).
  func withSockaddr<Result>(
    _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
  ) -> Result? {
    var storage = sockaddr_storage()
    let length: Int? = withUnsafeMutableBytes(of: &storage) { bytes in
      switch self {
      case .ipv4(let octets, let port):
        guard octets.count == 4 else { return nil }
        var raw = sockaddr_in()
        raw.sin_family = sa_family_t(AF_INET)
        raw.sin_port = port.bigEndian
        withUnsafeMutableBytes(of: &raw.sin_addr) { $0.copyBytes(from: octets) }
        bytes.storeBytes(of: raw, as: sockaddr_in.self)
        return MemoryLayout<sockaddr_in>.size
      case .ipv6(let octets, let port, let scope):
        guard octets.count == 16 else { return nil }
        var raw = sockaddr_in6()
        raw.sin6_family = sa_family_t(AF_INET6)
        raw.sin6_port = port.bigEndian
        raw.sin6_scope_id = scope
        withUnsafeMutableBytes(of: &raw.sin6_addr) { $0.copyBytes(from: octets) }
        bytes.storeBytes(of: raw, as: sockaddr_in6.self)
        return MemoryLayout<sockaddr_in6>.size
      case .unix(let path):
        let utf8 = Array(path.utf8)
        var raw = sockaddr_un()
        raw.sun_family = sa_family_t(AF_UNIX)
        let capacity = MemoryLayout.size(ofValue: raw.sun_path)
        guard !utf8.isEmpty, utf8.count < capacity, !utf8.contains(0) else { return nil }
        withUnsafeMutableBytes(of: &raw.sun_path) { $0.copyBytes(from: utf8) }
        bytes.storeBytes(of: raw, as: sockaddr_un.self)
        return MemoryLayout<sockaddr_un>.size
      }
    }
    guard let length else { return nil }
    return withUnsafePointer(to: &storage) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(length)) }
    }
  }

  /// Decodes an address reported by the kernel.
  init?(_ storage: sockaddr_storage, length: Int) {
    let decoded: SocketAddress? = withUnsafeBytes(of: storage) { bytes in
      switch CInt(storage.ss_family) {
      case AF_INET:
        let raw = bytes.load(as: sockaddr_in.self)
        let octets = withUnsafeBytes(of: raw.sin_addr) { Array($0) }
        return .ipv4(octets: octets, port: UInt16(bigEndian: raw.sin_port))
      case AF_INET6:
        let raw = bytes.load(as: sockaddr_in6.self)
        let octets = withUnsafeBytes(of: raw.sin6_addr) { Array($0) }
        return .ipv6(
          octets: octets, port: UInt16(bigEndian: raw.sin6_port), scope: raw.sin6_scope_id)
      case AF_UNIX:
        let start = MemoryLayout<sa_family_t>.size
        let path = bytes.prefix(max(start, min(length, bytes.count))).dropFirst(start)
        return .unix(path: String(decoding: path.prefix { $0 != 0 }, as: UTF8.self))
      default:
        return nil
      }
    }
    guard let decoded else { return nil }
    self = decoded
  }
}

extension SocketAddress: CustomStringConvertible {
  /// The address as users write it: `127.0.0.1:7443`, `[::1]:7443`, `/run/atrest.sock`.
  public var description: String {
    switch self {
    case .ipv4(let octets, let port):
      return octets.map { String($0) }.joined(separator: ".") + ":\(port)"
    case .ipv6(let octets, let port, let scope):
      guard octets.count == 16 else { return "[?]:\(port)" }
      var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
      let shown = octets.withUnsafeBytes {
        inet_ntop(AF_INET6, $0.baseAddress, &text, socklen_t(text.count)) != nil
      }
      let end = text.firstIndex(of: 0) ?? text.count
      let address = String(decoding: text[..<end].map { UInt8(bitPattern: $0) }, as: UTF8.self)
      return "[\(shown ? address : "?")\(scope == 0 ? "" : "%\(scope)")]:\(port)"
    case .unix(let path):
      return path.isEmpty ? "(unnamed unix socket)" : path
    }
  }
}
