// SPDX-License-Identifier: Apache-2.0
// When a store counts as one that acknowledges no writes.

import AtrestHTTP2
import Testing

@testable import AtrestServer

@Suite(.timeLimit(.minutes(20))) struct WriteWatchTests {
  private let watch = WriteWatch()

  private func at(_ seconds: Double) -> Instant {
    Instant(nanoseconds: UInt64((100 + seconds) * 1_000_000_000))
  }

  @Test("a store is silent while a write waits too long, until any write is acknowledged")
  func silent() {
    #expect(watch.silence(at: at(1000)) == .zero, "no write waits")
    watch.begins(at: at(0))
    watch.begins(at: at(3))
    #expect(!watch.isSilent(at: at(5)) && watch.isSilent(at: at(5.1)))
    watch.ended(isAcknowledged: true, at: at(6))
    #expect(watch.silence(at: at(7)) == .seconds(1), "the other one waits since then")
    watch.ended(isAcknowledged: true, at: at(8))
    #expect(watch.silence(at: at(100)) == .zero)
  }

  @Test("writes that fail do not end the silence, also when none is under way")
  func failing() {
    for second in 0..<6 {
      watch.begins(at: at(Double(second)))
      watch.ended(isAcknowledged: false, at: at(Double(second) + 0.5))
    }
    #expect(watch.isSilent(at: at(6)))
    watch.begins(at: at(7))
    watch.ended(isAcknowledged: true, at: at(7))
    #expect(!watch.isSilent(at: at(60)))
  }

  @Test("a write is tried at the start, after a failure, and once a minute without any")
  func tries() {
    func writes(_ second: Double, isAcknowledged: Bool) {
      watch.begins(at: at(second))
      #expect(!watch.triesWrite(at: at(second)), "one is under way")
      watch.ended(isAcknowledged: isAcknowledged, at: at(second))
    }
    #expect(watch.triesWrite(at: at(0)))
    writes(0, isAcknowledged: false)
    #expect(!watch.triesWrite(at: at(1.9)) && watch.triesWrite(at: at(2)))
    writes(2, isAcknowledged: true)
    #expect(!watch.triesWrite(at: at(61.9)) && watch.triesWrite(at: at(62)))
    writes(62, isAcknowledged: true)
    writes(100, isAcknowledged: true)
    #expect(!watch.triesWrite(at: at(159)) && watch.triesWrite(at: at(160)))
    writes(160, isAcknowledged: true)
    // One that waits on a session that hangs does not stand for the store.
    watch.begins(at: at(200))
    #expect(!watch.triesWrite(at: at(201.9)) && watch.triesWrite(at: at(202)))
    watch.begins(at: at(202))
    watch.ended(isAcknowledged: true, at: at(203))
    #expect(!watch.isSilent(at: at(208)) && watch.triesWrite(at: at(205)))
  }
}
