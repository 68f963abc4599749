// SPDX-License-Identifier: Apache-2.0
// Decides whose `x-forwarded-for` header is trusted, and reports proxies that are not configured.

import AtrestHTTP2
import AtrestRPC
import AtrestSockets
import Synchronization

/// Proxies whose `x-forwarded-for` header is trusted. From any other peer it is ignored, because
/// anybody can send it. Thread-safe.
package final class TrustedProxies: Sendable {
  private let keys: Set<[UInt8]>
  private let warnings: StandingWarnings?
  /// Whether calls are no longer looked at: each proxy would be reported alike.
  private let hasReported = Atomic(false)

  /// - Parameters:
  ///   - addresses: The proxies' addresses. Ports are ignored.
  ///   - warnings: Where proxies are reported for which all callers look like one.
  package init(_ addresses: [SocketAddress] = [], warnings: StandingWarnings? = nil) {
    keys = Set(addresses.compactMap(\.hostKey))
    self.warnings = warnings
  }

  /// The caller's address: the last entry of `x-forwarded-for` if the peer is a trusted proxy,
  /// because that entry is what the proxy itself saw. Otherwise the peer's address.
  func caller(of head: CallHead) -> SocketAddress {
    guard trusts(head.peer) else { return head.peer }
    guard
      let last = head.metadata.allText("x-forwarded-for").last?
        .split(separator: ",").last?.filter({ $0 != " " }),
      let address = SocketAddress(host: last) ?? (try? SocketAddress(parsing: last)),
      address.hostKey != nil
    else {
      // The owner's own calls on the proxy's machine need no header.
      guard !head.peer.isLoopback else { return head.peer }
      warnings?.raise(
        .silentProxy,
        "the trusted proxy \(head.peer.host) does not say in a form that can be read where a call comes from, so all of its callers share one bound of wrong pairing codes: have it send X-Forwarded-For"
      )
      return head.peer
    }
    return address
  }

  /// Reports a peer of a private network that forwards a device's call and is not trusted. A peer
  /// from elsewhere is no proxy of the owner's: anybody can send the header. Costs a search in the
  /// metadata, and a load once one was reported.
  func notice(_ head: CallHead) {
    guard let warnings, !hasReported.load(ordering: .relaxed), head.peer.isPrivate,
      !trusts(head.peer),
      (head.metadata.bytes("x-forwarded-for") ?? head.metadata.bytes("forwarded")) != nil
    else { return }
    hasReported.store(true, ordering: .relaxed)
    warnings.raise(
      .untrustedProxy,
      "\(head.peer.host) forwards calls and is no trusted proxy, so all of its callers share one bound of wrong pairing codes: if only a proxy of yours calls from there, start the server with --trusted-proxy \(head.peer.host)"
    )
  }

  private func trusts(_ peer: SocketAddress) -> Bool {
    guard !keys.isEmpty, let key = peer.hostKey else { return false }
    return keys.contains(key)
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

  /// The address as `--trusted-proxy` takes it.
  fileprivate var host: String {
    switch hostKey {
    case let key? where key.count == 4: key.map { String($0) }.joined(separator: ".")
    case let key?:
      String(Self.ipv6(octets: key, port: 0, scope: 0).description.dropFirst().prefix { $0 != "]" })
    case nil: description
    }
  }

  /// Whether it belongs to this machine or a private network: RFC 1918, 3927, 4193, 4291 and 6598.
  fileprivate var isPrivate: Bool {
    guard let key = hostKey, key.count >= 4 else { return false }
    if isLoopback { return true }
    return switch (key.count, key[0], key[1]) {
    case (4, 10, _), (4, 172, 16...31), (4, 192, 168), (4, 169, 254), (4, 100, 64...127): true
    case (16, 0xfc...0xfd, _), (16, 0xfe, 0x80...0xbf): true
    default: false
    }
  }

  private static let mapped = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]
}
