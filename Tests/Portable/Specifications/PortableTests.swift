// SPDX-License-Identifier: Apache-2.0
// Runs the cases of the portable core on this platform; Scripts/portable-core runs them as
// WebAssembly.

import AtrestPortableCases
import Testing

@Suite("The portable core", .timeLimit(.minutes(20)))
struct PortableTests {
  @Test("computes here what it computes everywhere")
  func cases() {
    for item in PortableCase.all() { #expect(item.found == item.expected, "\(item.name)") }
  }
}
