// SPDX-License-Identifier: Apache-2.0
// Specifies how long a device waits before it asks a server again.

import AtrestWire
import Testing

@testable import AtrestSync

/// A failed call whose server names the time to come back.
func failure(askingFor milliseconds: Int64?) -> SyncError {
  SyncError(
    status: StatusNumber.unavailable, message: "busy",
    details: ErrorDetails(
      code: 14, message: "", reason: .serverBusy, retryMilliseconds: milliseconds))
}

@Suite("Pauses between attempts", .timeLimit(.minutes(20)))
struct BackOffTests {
  @Test(
    "the longest pause doubles with each failure, from 200 milliseconds to half a minute",
    arguments: [(0, 200), (1, 200), (2, 400), (8, 25_600), (9, 30_000), (.max, 30_000)])
  func doubles(failures: Int, longest: Int64) {
    #expect(BackOff(failures: failures).milliseconds(random: .max) == longest)
    #expect(BackOff(failures: failures).milliseconds(random: 0) == 0)
    #expect(BackOff(failures: failures).milliseconds(random: .max / 2 + 1) == (longest + 1) / 2)
  }

  @Test("what the server asks for is the least, and devices that were told the same spread beyond")
  func asked() {
    let pause = BackOff(failures: 1, after: failure(askingFor: 60_000))
    #expect(pause.milliseconds(random: 0) == 60_000)
    #expect(pause.milliseconds(random: .max) == 60_200)
  }

  @Test("no server stops a device for longer than an hour, or makes it come back in the past")
  func bounded() {
    for (asked, waited) in [
      (.max, 3_600_000), (3_600_001, 3_600_000), (3_600_000, 3_600_000), (0, 0), (nil, 0),
    ] as [(Int64?, Int64)] {
      let pause = BackOff(failures: 1, after: failure(askingFor: asked))
      #expect(pause.milliseconds(random: 0) == waited)
    }
    // Details are read within bounds, whatever they say.
    let past = ErrorDetails(code: 14, message: "", reason: nil, retryMilliseconds: -5)
    let read = try? ErrorDetails(decoding: past.encoded)
    #expect(read?.retryMilliseconds.map { $0 >= 0 } == true)
  }

  @Test("a cap of somebody who waits for a person bounds our part alone")
  func capped() {
    var pause = BackOff(failures: 20, after: failure(askingFor: 5_000))
    pause.capMilliseconds = 2_000
    #expect(pause.milliseconds(random: .max) == 7_000)
  }
}
