// SPDX-License-Identifier: Apache-2.0
// Parses addresses and resolves host names.

import Dispatch
import Glibc

/// A server's location as a user writes it: an address, or a host name and port.
public enum Endpoint: Hashable, Sendable {
  /// An address that needs no resolution.
  case address(SocketAddress)
  /// A host name and a port.
  case host(String, port: UInt16)

  /// Parses `127.0.0.1:7443`, `[::1]:7443`, `name:7443`, `/path` or `unix:/path`.
  /// - Throws: `SocketError` of `.parseAddress`, with the reason.
  public init(parsing text: String) throws(SocketError) {
    func wrong(_ reason: String) -> SocketError {
      // The text has any length, and the message is shown to a user.
      SocketError(.parseAddress, reason: reason, address: String(text.prefix(120)))
    }
    if text.hasPrefix("/") || text.hasPrefix("unix:") {
      let path = text.hasPrefix("/") ? text : String(text.dropFirst(5))
      guard !path.isEmpty, path.utf8.count <= 107, !path.utf8.contains(0) else {
        throw wrong("a socket's path has 1 to 107 bytes")
      }
      self = .address(.unix(path: path))
      return
    }
    guard let colon = text.lastIndex(of: ":") else { throw wrong("it has no port") }
    let digits = text[text.index(after: colon)...]
    guard digits.utf8.allSatisfy({ (48...57).contains($0) }), let port = UInt16(digits) else {
      throw wrong("its port is not a number from 0 to 65535")
    }
    let host = text[..<colon]
    if host.hasPrefix("[") {
      guard host.hasSuffix("]"), let octets = Self.octets(host.dropFirst().dropLast(), AF_INET6)
      else { throw wrong("what stands in brackets is not an IPv6 address") }
      self = .address(.ipv6(octets: octets, port: port, scope: 0))
    } else if let octets = Self.octets(host, AF_INET) {
      self = .address(.ipv4(octets: octets, port: port))
    } else if host.contains(":") {
      throw wrong("an IPv6 address stands in brackets")
    } else {
      guard !host.isEmpty, host.utf8.count <= 253, host.utf8.allSatisfy(Self.isNameByte) else {
        throw wrong("its host is neither a name nor an address")
      }
      self = .host(String(host), port: port)
    }
  }

  /// The HTTP/2 `:authority`: the requested name or address with its port.
  public var authority: String {
    switch self {
    case .address(.unix): "localhost"
    case .address(let address): address.description
    case .host(let name, let port): "\(name):\(port)"
    }
  }

  /// The name or address alone, an IPv6 address without brackets. Nil for a Unix socket.
  public var host: String? {
    switch self {
    case .address(.unix): return nil
    case .host(let name, _): return name
    case .address(let address):
      let text = address.description
      return text.lastIndex(of: ":").map {
        String(text[..<$0].filter { $0 != "[" && $0 != "]" })
      }
    }
  }

  /// All addresses of the endpoint, best first. Blocks on the resolver (DNS: seconds). Never call
  /// it on a shard; use `resolve()`.
  /// - Throws: `SocketError` of `.resolve`.
  public func resolveBlocking() throws(SocketError) -> [SocketAddress] {
    switch self {
    case .address(let address): return [address]
    case .host(let name, let port): return try Self.lookUp(name, port: port)
    }
  }

  /// All addresses of the endpoint, best first, resolved on a separate queue.
  /// - Throws: `SocketError` of `.resolve`.
  public func resolve() async throws(SocketError) -> [SocketAddress] {
    if case .address(let address) = self { return [address] }
    let result: Result<[SocketAddress], SocketError> = await withCheckedContinuation { done in
      resolve { done.resume(returning: $0) }
    }
    return try result.get()
  }

  /// Callback form of `resolve()`. `completion` runs on the resolver's queue, or at once if there
  /// is nothing to resolve.
  public func resolve(
    completion: @escaping @Sendable (Result<[SocketAddress], SocketError>) -> Void
  ) {
    if case .address(let address) = self { return completion(.success([address])) }
    Self.resolverQueue.async {
      completion(Result { () throws(SocketError) in try resolveBlocking() })
    }
  }

  private static let resolverQueue = DispatchQueue(label: "atrest.net.resolver")

  private static func lookUp(_ name: String, port: UInt16) throws(SocketError) -> [SocketAddress] {
    // RFC 6761, section 6.3: always loopback, whatever the hosts file or DNS says.
    if name == "localhost" {
      return [
        .ipv4(octets: [127, 0, 0, 1], port: port),
        .ipv6(octets: Array(repeating: 0, count: 15) + [1], port: port, scope: 0),
      ]
    }
    var hints = addrinfo()
    hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
    hints.ai_flags = AI_ADDRCONFIG
    var list: UnsafeMutablePointer<addrinfo>?
    let status = getaddrinfo(name, nil, &hints, &list)
    guard status == 0 else {
      let reason = gai_strerror(status).map { String(cString: $0) } ?? "error \(status)"
      throw SocketError(.resolve, reason: reason, address: name)
    }
    defer { freeaddrinfo(list) }
    var found: [SocketAddress] = []
    var entry = list
    while let current = entry, found.count < 16 {
      if let raw = current.pointee.ai_addr {
        var storage = sockaddr_storage()
        let length = min(Int(current.pointee.ai_addrlen), MemoryLayout<sockaddr_storage>.size)
        withUnsafeMutableBytes(of: &storage) {
          $0.copyMemory(from: UnsafeRawBufferPointer(start: raw, count: length))
        }
        switch SocketAddress(storage, length: length) {
        case .ipv4(let octets, _): found.append(.ipv4(octets: octets, port: port))
        case .ipv6(let octets, _, let scope):
          found.append(.ipv6(octets: octets, port: port, scope: scope))
        case .unix, nil: break
        }
      }
      entry = current.pointee.ai_next
    }
    guard !found.isEmpty else {
      throw SocketError(.resolve, reason: "it has no address", address: name)
    }
    return found
  }

  fileprivate static func octets(_ text: Substring, _ family: CInt) -> [UInt8]? {
    guard text.utf8.count <= 45 else { return nil }
    var octets = [UInt8](repeating: 0, count: family == AF_INET ? 4 : 16)
    return inet_pton(family, String(text), &octets) == 1 ? octets : nil
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
    case UInt8(ascii: "0")...UInt8(ascii: "9"): true
    case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"): true
    default: false
    }
  }
}

extension SocketAddress {
  /// Parses an address without a port, such as `192.0.2.1` or `2001:db8::1`; nil for anything else.
  public init?(host text: some StringProtocol) {
    if let octets = Endpoint.octets(Substring(text), AF_INET) {
      self = .ipv4(octets: octets, port: 0)
    } else if let octets = Endpoint.octets(Substring(text), AF_INET6) {
      self = .ipv6(octets: octets, port: 0, scope: 0)
    } else {
      return nil
    }
  }

  /// Parses an address without a host name: `127.0.0.1:7443`, `[::1]:7443`, `/path` or
  /// `unix:/path`.
  /// - Throws: `SocketError` of `.parseAddress`, with the reason.
  public init(parsing text: String) throws(SocketError) {
    guard case .address(let address) = try Endpoint(parsing: text) else {
      throw SocketError(
        .parseAddress, reason: "it begins with a name, not an address",
        address: String(text.prefix(120)))
    }
    self = address
  }
}
