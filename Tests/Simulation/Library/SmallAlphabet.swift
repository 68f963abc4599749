// SPDX-License-Identifier: Apache-2.0
// Which actions a search of a small world tries: all, or few and deeper.

/// A choice of actions. Each action more makes a search of six actions several times as long.
package enum SmallAlphabet: String, CaseIterable, Sendable {
  /// Everything.
  case all
  /// What two people do to a fast, and syncs whose answers are lost.
  case edits
  /// Copies of A's disk, beside each other and in each other's place.
  case copies
  /// Copies of the server's disk, and restarts.
  case serverCopies
  /// Clocks that step by hours.
  case clocks

  /// The actions.
  package var actions: [SmallAction] {
    switch self {
    case .all: SmallAction.allCases
    case .edits:
      [
        .writeTargetA, .writeSpanA, .deleteA, .syncA, .syncUnheardA, .writeTargetB, .writeSpanB,
        .deleteB, .syncB,
      ]
    case .copies:
      [
        .writeTargetA, .syncA, .syncUnheardA, .backUpA, .putBackA, .cloneA, .writeTargetC, .syncC,
        .writeTargetB, .syncB,
      ]
    case .serverCopies:
      [
        .writeTargetA, .deleteA, .syncA, .syncUnheardA, .writeTargetB, .syncB, .backUpServer,
        .putBackServer, .restartServer,
      ]
    case .clocks:
      [
        .writeTargetA, .syncA, .syncUnheardA, .writeTargetB, .syncB, .serverClockForward,
        .serverClockBack, .restartServer, .turnClockA,
      ]
    }
  }
}
