// SPDX-License-Identifier: Apache-2.0
// What programs are told of a failed call: round trips, other people's details, bytes of others.

import AtrestWire
import Testing

@Suite(.timeLimit(.minutes(20))) struct ErrorDetailsTests {
  @Test("come back as they went, with every part and with none")
  func roundTrip() throws {
    for details in [
      ErrorDetails(
        code: 8, message: "née", reason: .pairingAttemptRate, retryMilliseconds: 60_250,
        quotaSubject: "address"),
      ErrorDetails(code: 16, message: "", reason: .deviceUnknown),
      ErrorDetails(code: 14, message: "gone", reason: nil, retryMilliseconds: 5),
      ErrorDetails(code: 0, message: "", reason: nil),
    ] {
      #expect(try ErrorDetails(decoding: details.encoded) == details)
    }
    #expect(try ErrorDetails(decoding: []).reason == nil)
  }

  @Test("have the bytes of google.rpc.Status")
  func golden() {
    let type = Array("type.googleapis.com/google.rpc.ErrorInfo".utf8)
    let info = [0x0A, 9] + Array("DISK_FULL".utf8) + [0x12, 6] + Array("atrest".utf8)
    let any = [0x0A, UInt8(type.count)] + type + [0x12, UInt8(info.count)] + info
    let expected = [0x08, 8, 0x12, 2] + Array("no".utf8) + [0x1A, UInt8(any.count)] + any
    #expect(ErrorDetails(code: 8, message: "no", reason: .diskFull).encoded == expected)
  }

  @Test("a reason of another domain is none of ours, and details of other types are skipped")
  func others() throws {
    let details = ErrorDetails(code: 8, message: "", reason: .diskFull, retryMilliseconds: 1)
    for (ours, theirs) in [("atrest", "proxy!"), ("google.rpc.ErrorInfo", "google.rpc.Any_Thing")] {
      let changed = replacing(ours, by: theirs, in: details.encoded)
      let read = try ErrorDetails(decoding: changed)
      #expect(read.reason == nil && read.retryMilliseconds == 1)
    }
  }

  @Test("a delay is bounded, whatever it says")
  func delays() throws {
    let delay = ErrorDetails(code: 8, message: "", reason: nil, retryMilliseconds: .max / 1000)
    #expect(try ErrorDetails(decoding: delay.encoded).retryMilliseconds == 31_536_000_000 + 775)
    let past = ErrorDetails(code: 8, message: "", reason: nil, retryMilliseconds: -5_000)
    #expect(try ErrorDetails(decoding: past.encoded).retryMilliseconds == 0)
  }

  @Test("bytes that were cut are refused or mean less, and never trap")
  func cut() {
    let bytes = ErrorDetails(
      code: 8, message: "m", reason: .diskFull, retryMilliseconds: 1_500, quotaSubject: "account"
    ).encoded
    for count in 0..<bytes.count {
      let read = try? ErrorDetails(decoding: Array(bytes.prefix(count)))
      #expect(read?.quotaSubject == nil)
    }
  }

  @Test("every reason is listed once, in order, in the form of the standard")
  func reasons() {
    let names = ErrorReason.all.map(\.rawValue)
    #expect(names == Set(names).sorted())
    // Source: google/rpc/error_details.proto: at most 63 characters of [A-Z][A-Z0-9_]+[A-Z0-9].
    #expect(names.allSatisfy { $0.wholeMatch(of: /[A-Z][A-Z0-9_]{1,61}[A-Z0-9]/) != nil })
  }

  private func replacing(_ old: String, by new: String, in bytes: [UInt8]) -> [UInt8] {
    let (old, new) = (Array(old.utf8), Array(new.utf8))
    guard old.count == new.count else { return bytes }
    for start in 0...(bytes.count - old.count) where Array(bytes[start..<start + old.count]) == old
    {
      return Array(bytes[..<start] + new + bytes[(start + old.count)...])
    }
    return bytes
  }
}
