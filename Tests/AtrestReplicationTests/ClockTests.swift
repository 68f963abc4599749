// SPDX-License-Identifier: Apache-2.0
// The hybrid logical clock only moves forward, whatever the wall clock does.

import AtrestReplication
import AtrestTestSupport
import Testing

@Suite("The hybrid logical clock", .timeLimit(.minutes(20)))
struct ClockTests {
  @Test("gives strictly growing times over jumps of the wall clock either way")
  func monotonic() {
    checkLaw { random in
      var clock = HybridClock()
      var last = clock.latest
      for _ in 0..<50 {
        let wall = WallTime(milliseconds: .random(in: -1000...2_000_000_000_000, using: &random))
        if random.oneIn(4) { clock.observe(HybridTime(wall)) }
        let time = clock.tick(at: wall)
        guard time > last, time >= HybridTime(wall) else { return false }
        last = time
      }
      return true
    }
  }

  @Test("orders a write after every time it has seen")
  func happensBefore() {
    var clock = HybridClock()
    clock.observe(HybridTime(rawValue: 500 << 16 | 7))
    #expect(clock.tick(at: WallTime(milliseconds: 3)) == HybridTime(rawValue: 500 << 16 | 8))
  }

  @Test("carries into the milliseconds after 65,536 writes in one of them")
  func carry() {
    var clock = HybridClock()
    let wall = WallTime(milliseconds: 1000)
    for _ in 0...65_536 { _ = clock.tick(at: wall) }
    #expect(clock.latest == HybridTime(rawValue: 1001 << 16))
  }

  @Test("starts again where it stopped")
  func resumes() {
    var clock = HybridClock(latest: HybridTime(rawValue: 900 << 16))
    #expect(clock.tick(at: WallTime(milliseconds: 1)).rawValue == 900 << 16 | 1)
  }

  @Test("survives the ends of the number line")
  func extremes() {
    var clock = HybridClock()
    _ = clock.tick(at: WallTime(milliseconds: .min))
    clock.observe(.latest)
    let first = clock.tick(at: WallTime(milliseconds: .max))
    #expect(clock.tick(at: WallTime(milliseconds: .max)) > first)
  }
}
