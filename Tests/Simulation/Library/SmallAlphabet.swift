// SPDX-License-Identifier: Apache-2.0
// The sets of actions for a small-world search: all, or fewer and deeper.

/// A set of actions. Each additional action makes a search of depth six several times longer.
package enum SmallAlphabet: String, CaseIterable, Sendable {
  /// Every action.
  case all
  /// Two people's edits of a fast, and syncs with lost responses.
  case edits
  /// Copies of A's disk, running in parallel or restored.
  case copies
  /// Copies of the server's disk, and restarts.
  case serverCopies
  /// Clocks that step by hours.
  case clocks

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
