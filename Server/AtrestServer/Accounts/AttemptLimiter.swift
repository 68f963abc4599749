// SPDX-License-Identifier: Apache-2.0
// Decides how often wrong pairing codes may be tried, on the whole server and from one address.

import AtrestReplication
import AtrestSockets

/// A bucket of tries that fills up again with time. A try is taken before the code is looked at, so
/// that tries made at once count like tries in a row, and a code that was not wrong gives it back.
struct AttemptBucket: Sendable {
  let capacity: Int
  let refillMilliseconds: Int64
  private var spent = 0
  private(set) var since = WallTime(milliseconds: 0)

  init(capacity: Int, refillMilliseconds: Int64) {
    self.capacity = capacity
    self.refillMilliseconds = refillMilliseconds
  }

  /// Whether a try is left.
  mutating func hasLeft(at now: WallTime) -> Bool {
    refill(at: now)
    return spent < capacity
  }

  /// Takes a try; false if none is left.
  mutating func take(at now: WallTime) -> Bool {
    refill(at: now)
    guard spent < capacity else { return false }
    spent += 1
    return true
  }

  /// The code was not wrong.
  mutating func giveBack() {
    spent = max(0, spent - 1)
  }

  private mutating func refill(at now: WallTime) {
    guard spent > 0, now > since else {
      // Nothing to refill, or the clock was set back: count from here.
      since = now
      return
    }
    let earned = (now.milliseconds - since.milliseconds) / refillMilliseconds
    guard earned > 0 else { return }
    spent = Int(max(0, Int64(spent) - earned))
    since = WallTime(milliseconds: since.milliseconds + earned * refillMilliseconds)
  }
}

/// The bucket of the server, and one for each address ahead of it: whoever guesses uses up the own
/// one, which is small, and leaves most of the other to everybody else.
struct AttemptLimiter: Sendable {
  /// Wrong tries in a row, from all addresses. With 34 bits in a code and five tries for each, this
  /// bounds the noise rather than the risk.
  static let capacity = 200
  /// Milliseconds after which one more is allowed.
  static let refillMilliseconds: Int64 = 1000
  /// Wrong tries in a row from one IPv4 address or IPv6 /64. Source: Signal's limits of
  /// registration.
  static let peerCapacity = 6
  /// Milliseconds after which such a peer has one more.
  static let peerRefillMilliseconds: Int64 = 120_000
  /// The same of an IPv6 /48, which is what one customer may have: 65,536 addresses by the count
  /// above.
  static let networkCapacity = 24
  static let networkRefillMilliseconds: Int64 = 30_000
  private static let networkBytes = 6
  /// Addresses and networks that are remembered. The one that came first is forgotten first.
  static let peers = 4096

  private var all = AttemptBucket(
    capacity: Self.capacity, refillMilliseconds: Self.refillMilliseconds)
  private var perPeer: [[UInt8]: AttemptBucket] = [:]
  /// The keys of `perPeer` in the order in which they came, from `oldest` round.
  private var order: [[UInt8]] = []
  private var oldest = 0

  /// Where to count what comes from an address: by it, and by the network that it is of. Nowhere if
  /// it says nothing about who it is: a Unix socket, and 127.0.0.1 and ::1, from where a proxy
  /// calls for everybody.
  static func keys(of address: SocketAddress) -> [[UInt8]] {
    switch address {
    case .ipv4(octets: [127, 0, 0, 1], _): return []
    case .ipv6(let octets, _, _) where octets == [UInt8](repeating: 0, count: 15) + [1]: return []
    default:
      guard let key = address.peerKey else { return [] }
      return key.count > networkBytes ? [key, Array(key.prefix(networkBytes))] : [key]
    }
  }

  /// Takes a try of each key and of the server; false, and none is taken, if one of them has none
  /// left.
  mutating func take(from keys: [[UInt8]] = [], at now: WallTime) -> Bool {
    for (index, key) in keys.enumerated() {
      remember(key)
      guard perPeer[key]?.take(at: now) == true else {
        for key in keys.prefix(index) { perPeer[key]?.giveBack() }
        return false
      }
    }
    guard all.take(at: now) else {
      for key in keys { perPeer[key]?.giveBack() }
      return false
    }
    return true
  }

  /// The code was not wrong.
  mutating func giveBack(to keys: [[UInt8]] = []) {
    all.giveBack()
    for key in keys { perPeer[key]?.giveBack() }
  }

  private mutating func remember(_ peer: [UInt8]) {
    guard perPeer[peer] == nil else { return }
    perPeer[peer] =
      peer.count == Self.networkBytes
      ? AttemptBucket(
        capacity: Self.networkCapacity, refillMilliseconds: Self.networkRefillMilliseconds)
      : AttemptBucket(
        capacity: Self.peerCapacity, refillMilliseconds: Self.peerRefillMilliseconds)
    guard order.count == Self.peers else { return order.append(peer) }
    perPeer[order[oldest]] = nil
    order[oldest] = peer
    oldest = (oldest + 1) % Self.peers
  }
}
