// SPDX-License-Identifier: Apache-2.0
// The preference for a person's usual target, in every form that a program may have written.

import AtrestDomain
import Testing

@Suite("The usual target", .timeLimit(.minutes(20)))
struct TargetPreferenceTests {
  @Test(
    "is hours, whole or not; what cannot be meant gives way to 16 hours",
    arguments: [
      ("18", 1080), ("16.0", 960), ("16.5", 990), ("0.5", 30), ("168", 10_080),
      (nil, 960), ("", 960), ("0", 960), ("-3", 960), ("169", 960), ("1e300", 960), ("nan", 960),
      ("inf", 960), ("0.001", 960), ("sixteen", 960), ("16h", 960),
    ] as [(String?, Int)])
  func minutes(value: String?, expected: Int) {
    #expect(TargetPreference.minutes(value) == expected)
  }
}
