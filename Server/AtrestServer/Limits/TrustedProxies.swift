// SPDX-License-Identifier: Apache-2.0
// Decides whose `x-forwarded-for` header is trusted.

import AtrestHTTP2
import AtrestRPC
import AtrestSockets

/// Proxies whose `x-forwarded-for` header is trusted. From any other peer it is ignored, because
/// anybody can send it.
package struct TrustedProxies: Sendable {
  private let keys: Set<[UInt8]>

  /// - Parameter addresses: The proxies' addresses. Ports are ignored.
  package init(_ addresses: [SocketAddress] = []) {
    keys = Set(addresses.compactMap(\.hostKey))
  }

  /// The caller's address: the last entry of `x-forwarded-for` if the peer is a trusted proxy,
  /// because that entry is what the proxy itself saw. Otherwise the peer's address.
  func caller(of head: CallHead) -> SocketAddress {
    guard let key = head.peer.hostKey, keys.contains(key),
      let last = head.metadata.allText("x-forwarded-for").last?
        .split(separator: ",").last?.filter({ $0 != " " }),
      let address = SocketAddress(host: last)
    else { return head.peer }
    return address
  }
}

extension SocketAddress {
  /// The address without the port. An IPv4-mapped IPv6 address counts as IPv4.
  fileprivate var hostKey: [UInt8]? {
    switch self {
    case .ipv4(let octets, _): octets
    case .ipv6(let octets, _, _):
      octets.starts(with: Self.mapped) ? Array(octets.dropFirst(Self.mapped.count)) : octets
    case .unix: nil
    }
  }

  private static let mapped = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]
}
