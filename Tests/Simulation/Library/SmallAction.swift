// SPDX-License-Identifier: Apache-2.0
// The deterministic actions of a small world.

/// One action in a small world. Device C is a running copy of A's disk.
package enum SmallAction: String, CaseIterable, Sendable {
  case writeTargetA, writeSpanA, deleteA, syncA, syncUnheardA
  case writeTargetB, writeSpanB, deleteB, syncB, syncUnheardB
  case backUpA, putBackA, cloneA
  case writeTargetC, syncC
  case backUpServer, putBackServer, restartServer
  case serverClockForward, serverClockBack
  /// Turns A's clock two hours ahead, or back.
  case turnClockA

  /// The name for people.
  package var name: String {
    switch self {
    case .writeTargetA: "A writes the target"
    case .writeSpanA: "A writes the span"
    case .deleteA: "A deletes"
    case .syncA: "A syncs"
    case .syncUnheardA: "A syncs and hears nothing"
    case .writeTargetB: "B writes the target"
    case .writeSpanB: "B writes the span"
    case .deleteB: "B deletes"
    case .syncB: "B syncs"
    case .syncUnheardB: "B syncs and hears nothing"
    case .backUpA: "A's disk is copied"
    case .putBackA: "A's disk is put back"
    case .cloneA: "A's disk is cloned: C"
    case .writeTargetC: "C writes the target"
    case .syncC: "C syncs"
    case .backUpServer: "the server is copied"
    case .putBackServer: "the server is put back"
    case .restartServer: "the server restarts"
    case .serverClockForward: "the server's clock goes 2 h forward"
    case .serverClockBack: "the server's clock goes 2 h back"
    case .turnClockA: "A's clock goes 2 h ahead, or right"
    }
  }

  /// The device that acts, or nil.
  var device: Int? {
    switch self {
    case .writeTargetA, .writeSpanA, .deleteA, .syncA, .syncUnheardA, .backUpA, .putBackA, .cloneA,
      .turnClockA:
      0
    case .writeTargetB, .writeSpanB, .deleteB, .syncB, .syncUnheardB: 1
    case .writeTargetC, .syncC: 2
    case .backUpServer, .putBackServer, .restartServer, .serverClockForward, .serverClockBack: nil
    }
  }
}
