// SPDX-License-Identifier: Apache-2.0
// Who is believed about where a call comes from.

import AtrestHTTP2
import AtrestRPC
import AtrestSockets

/// Proxies that tell the address of their own callers. Nobody else is believed: anybody could write
/// that header.
package struct TrustedProxies: Sendable {
  private let keys: Set<[UInt8]>

  /// - Parameter addresses: Ports count for nothing.
  package init(_ addresses: [SocketAddress] = []) {
    keys = Set(addresses.compactMap(\.hostKey))
  }

  /// Where a call comes from: what a proxy that is trusted says last in `x-forwarded-for`, which is
  /// what it saw itself; or the other end of the connection.
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
  /// The whole address without the port; of an IPv4 address that is mapped into IPv6, the former.
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
