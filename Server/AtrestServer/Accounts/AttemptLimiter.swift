// SPDX-License-Identifier: Apache-2.0
// Rate limits for callers without a token, per server and per address: for wrong pairing codes, and
// for questions about the services.

import AtrestReplication
import AtrestSockets

/// A token bucket. An attempt consumes a token before the code is checked, so concurrent attempts
/// count like sequential ones. A code that was not wrong returns the token.
package struct AttemptBucket: Sendable {
  let capacity: Int
  let refillMilliseconds: Int64
  /// Tokens consumed and not yet refilled, and since when one is being refilled.
  private(set) var spent = 0
  private(set) var since = WallTime(milliseconds: 0)

  init(capacity: Int, refillMilliseconds: Int64) {
    self.capacity = capacity
    self.refillMilliseconds = refillMilliseconds
  }

  /// The same bucket as it was stored.
  init(like bucket: AttemptBucket, spent: Int, since: WallTime) {
    self = bucket
    (self.spent, self.since) = (min(max(spent, 0), capacity), since)
  }

  /// When all tokens are back.
  var full: WallTime { since.advanced(by: Int64(spent) * refillMilliseconds) }

  /// Whether a token is left. Consumes nothing.
  mutating func hasLeft(at now: WallTime) -> Bool {
    refill(at: now)
    return spent < capacity
  }

  /// Consumes a token. False if none is left.
  mutating func take(at now: WallTime) -> Bool {
    refill(at: now)
    guard spent < capacity else { return false }
    spent += 1
    return true
  }

  /// Returns a token, because the code was not wrong.
  mutating func giveBack() {
    spent = max(0, spent - 1)
  }

  private mutating func refill(at now: WallTime) {
    guard spent > 0, now > since else {
      // There is nothing to refill, or the clock was set back. Restart the interval.
      since = now
      return
    }
    // Saturating: it may come from a database.
    let earned = now.milliseconds(since: since) / refillMilliseconds
    guard earned > 0 else { return }
    spent = Int(max(0, Int64(spent) - earned))
    since = WallTime(milliseconds: since.milliseconds + earned * refillMilliseconds)
  }
}

/// The server's bucket, and a smaller one per address. A guessing caller exhausts its own bucket
/// and leaves most of the server's to everybody else.
///
/// In memory. Where daemons share a store, `AttemptStore` has the same buckets once for all of
/// them, and this one in front keeps a flood away from it.
package struct AttemptLimiter: Sendable {
  /// Wrong attempts in a row from all addresses. With 34 bits per code and five attempts per code,
  /// this bounds noise rather than risk.
  static let capacity = 200
  /// Milliseconds until one more attempt is allowed.
  static let refillMilliseconds: Int64 = 1000
  /// Wrong attempts in a row from one IPv4 address or IPv6 /64. Source: Signal's registration
  /// limits.
  static let peerCapacity = 6
  /// Milliseconds until such a peer gets one more attempt.
  static let peerRefillMilliseconds: Int64 = 120_000
  /// The same for an IPv6 /48. One customer may own a whole /48, which contains 65,536 /64
  /// networks.
  static let networkCapacity = 24
  static let networkRefillMilliseconds: Int64 = 30_000
  private static let networkBytes = 6
  /// The number of addresses and networks in memory. The oldest entry is dropped first.
  static let peers = 4096

  private let bucket: @Sendable (_ key: [UInt8]) -> AttemptBucket
  private var all: AttemptBucket
  private var perPeer: [[UInt8]: AttemptBucket] = [:]
  /// The keys of `perPeer` in insertion order, as a ring buffer that starts at `oldest`.
  private var order: [[UInt8]] = []
  private var oldest = 0

  /// - Parameter bucket: A full bucket of a key: one of `keys(of:)`, or `everybody`.
  init(
    bucket: @escaping @Sendable (_ key: [UInt8]) -> AttemptBucket = {
      AttemptLimiter.bucket(of: $0)
    }
  ) {
    self.bucket = bucket
    all = bucket(Self.everybody)
  }

  /// Limits questions: so many at once, and as many again in each minute.
  ///
  /// - Parameter perMinute: Of one address, 1 to 6,000. Four times as many of an IPv6 /48, and ten
  ///   times as many of all callers.
  static func questions(perMinute: Int) -> AttemptLimiter {
    AttemptLimiter { key in
      let capacity = perMinute * (key == everybody ? 10 : key.count == networkBytes ? 4 : 1)
      return AttemptBucket(
        capacity: capacity, refillMilliseconds: max(1, 60_000 / Int64(capacity)))
    }
  }

  /// The bucket keys of an address: the address itself and its network. Empty for addresses that do
  /// not identify the caller: Unix sockets, and 127.0.0.1 and ::1, from where a proxy forwards
  /// everybody's calls.
  static func keys(of address: SocketAddress) -> [[UInt8]] {
    switch address {
    case .ipv4(octets: [127, 0, 0, 1], _): return []
    case .ipv6(let octets, _, _) where octets == [UInt8](repeating: 0, count: 15) + [1]: return []
    default:
      guard let key = address.peerKey else { return [] }
      return key.count > networkBytes ? [key, Array(key.prefix(networkBytes))] : [key]
    }
  }

  /// The address that `keys` are of, as far as they tell it: 192.0.2.1, or 2001:db8::/64.
  static func text(of keys: [[UInt8]]) -> String? {
    guard let key = keys.first else { return nil }
    if key.count == 4 { return key.map(String.init).joined(separator: ".") }
    let groups = stride(from: 0, to: key.count - 1, by: 2).map { index in
      String(UInt16(key[index]) << 8 | UInt16(key[index + 1]), radix: 16)
    }
    return groups.joined(separator: ":") + "::/64"
  }

  /// Consumes a token of each key and of the server. If one of them has none left, consumes nothing
  /// and returns false.
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

  /// Returns the tokens, because the code was not wrong.
  mutating func giveBack(to keys: [[UInt8]] = []) {
    all.giveBack()
    for key in keys { perPeer[key]?.giveBack() }
  }

  /// A full bucket of wrong codes.
  ///
  /// - Parameter key: One of `keys(of:)`, or `everybody`.
  package static func bucket(of key: [UInt8]) -> AttemptBucket {
    switch key.count {
    case 0: AttemptBucket(capacity: capacity, refillMilliseconds: refillMilliseconds)
    case networkBytes:
      AttemptBucket(capacity: networkCapacity, refillMilliseconds: networkRefillMilliseconds)
    default: AttemptBucket(capacity: peerCapacity, refillMilliseconds: peerRefillMilliseconds)
    }
  }

  /// The key of the bucket that all callers share.
  static let everybody: [UInt8] = []

  private mutating func remember(_ peer: [UInt8]) {
    guard perPeer[peer] == nil else { return }
    perPeer[peer] = bucket(peer)
    guard order.count == Self.peers else { return order.append(peer) }
    perPeer[order[oldest]] = nil
    order[oldest] = peer
    oldest = (oldest + 1) % Self.peers
  }
}
