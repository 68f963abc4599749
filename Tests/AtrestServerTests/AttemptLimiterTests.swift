// SPDX-License-Identifier: Apache-2.0
// The rate limits for callers without a token, per server and per address.

import AtrestReplication
import AtrestSockets
import Testing

@testable import AtrestServer

@Suite(.timeLimit(.minutes(20))) struct AttemptLimiterTests {
  private func at(_ milliseconds: Int64) -> WallTime {
    WallTime(milliseconds: noon + milliseconds)
  }

  @Test("tries come back one by one, never more than there were")
  func refill() {
    var limiter = AttemptLimiter()
    func take(_ time: WallTime) -> Bool { limiter.take(at: time) }
    for _ in 0..<AttemptLimiter.capacity { #expect(take(at(0))) }
    for _ in 0..<5 { #expect(!take(at(0))) }
    #expect(!take(at(AttemptLimiter.refillMilliseconds - 1)))
    #expect(take(at(AttemptLimiter.refillMilliseconds)))
    #expect(!take(at(AttemptLimiter.refillMilliseconds)))
    for _ in 0..<AttemptLimiter.capacity { #expect(take(at(3_600_000))) }
    #expect(!take(at(3_600_000)))
    limiter.giveBack()
    #expect(take(at(3_600_000)))
    #expect(!take(at(3_600_000)))
  }

  @Test("a clock that was set back neither frees nor blocks for long")
  func setBack() {
    var limiter = AttemptLimiter()
    func take(_ time: WallTime) -> Bool { limiter.take(at: time) }
    for _ in 0..<AttemptLimiter.capacity { #expect(take(at(0))) }
    #expect(!take(at(-10_000_000)))
    #expect(take(at(-10_000_000 + AttemptLimiter.refillMilliseconds)))
  }

  @Test("whoever guesses from one address uses up that one's tries; others keep theirs")
  func perAddress() {
    var limiter = AttemptLimiter()
    func take(_ peer: UInt8, _ time: Int64) -> Bool {
      limiter.take(from: [[192, 0, 2, peer]], at: at(time))
    }
    for _ in 0..<AttemptLimiter.peerCapacity { #expect(take(1, 0)) }
    for _ in 0..<1000 { #expect(!take(1, 0)) }
    #expect(take(2, 0))
    #expect(!take(1, AttemptLimiter.peerRefillMilliseconds - 1))
    #expect(take(1, AttemptLimiter.peerRefillMilliseconds))
    #expect(!take(1, AttemptLimiter.peerRefillMilliseconds))
    limiter.giveBack(to: [[192, 0, 2, 1]])
    #expect(take(1, AttemptLimiter.peerRefillMilliseconds))
  }

  @Test("questions: so many a minute for an address, ten times as many for all")
  func questions() {
    var limiter = AttemptLimiter.questions(perMinute: 30)
    func take(_ peer: UInt8, _ time: Int64 = 0) -> Bool {
      limiter.take(from: [[192, 0, 2, peer]], at: at(time))
    }
    func taken(_ peer: UInt8) -> Int { (0..<100).count { _ in take(peer) } }
    #expect(taken(1) == 30)
    #expect((2..<12).map { taken($0) } == [30, 30, 30, 30, 30, 30, 30, 30, 30, 0])
    #expect(take(1, 60_000) && take(12, 60_000))
  }

  @Test(
    "many addresses together have no more than the server's bucket, and a try refused there costs none"
  )
  func addressesTogether() {
    var limiter = AttemptLimiter()
    func take(_ index: Int) -> Bool {
      limiter.take(from: [[UInt8(index / 256), UInt8(index % 256)]], at: at(0))
    }
    for index in 0..<AttemptLimiter.capacity { #expect(take(index)) }
    for _ in 0..<10 { #expect(!take(9_999)) }
    let later = at(AttemptLimiter.refillMilliseconds)
    let key: [[UInt8]] = [[UInt8(9_999 / 256), UInt8(9_999 % 256)]]
    let isTaken = limiter.take(from: key, at: later)
    #expect(isTaken)
  }

  @Test("addresses that are forgotten are the oldest")
  func forgotten() {
    var limiter = AttemptLimiter()
    func take(_ index: Int) -> Bool {
      limiter.take(
        from: [[UInt8(index / 256), UInt8(index % 256)]], at: at(3_600_000 * Int64(index)))
    }
    func first(_ time: Int64) -> Bool { limiter.take(from: [[1]], at: at(time)) }
    for _ in 0..<AttemptLimiter.peerCapacity { #expect(first(0)) }
    #expect(!first(0))
    for index in 1..<AttemptLimiter.peers { #expect(take(index)) }
    #expect(!first(0))
    #expect(take(AttemptLimiter.peers))
    #expect(first(0))
  }

  @Test("whoever has an IPv6 /48 has no more tries than a few addresses")
  func network() throws {
    var limiter = AttemptLimiter()
    func take(_ address: String) throws -> Bool {
      let keys = AttemptLimiter.keys(of: try SocketAddress(parsing: "[\(address)]:1"))
      return limiter.take(from: keys, at: at(0))
    }
    var taken = 0
    for subnet in 0..<1000 where try take("2001:db8:1:\(subnet)::1") { taken += 1 }
    #expect(taken == AttemptLimiter.networkCapacity)
    // Other networks have their own budget, and each address at most six attempts.
    taken = 0
    for host in 0..<100 where try take("2001:db8:2::\(host)") { taken += 1 }
    #expect(taken == AttemptLimiter.peerCapacity)
    #expect(try take("2001:db8:2:1::1"))
  }

  @Test("where a proxy calls from, an address says nothing")
  func proxies() throws {
    func keys(_ text: String) throws -> [[UInt8]] {
      AttemptLimiter.keys(of: try SocketAddress(parsing: text))
    }
    #expect(try keys("127.0.0.1:1") == [])
    #expect(try keys("[::1]:1") == [])
    #expect(try keys("127.0.0.2:1") != [])
    #expect(try keys("192.0.2.1:1") == [[192, 0, 2, 1]])
    #expect(try keys("[2001:db8::1]:1") == keys("[2001:db8::ffff]:1"))
  }
}
