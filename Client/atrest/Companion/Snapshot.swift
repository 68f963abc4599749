// SPDX-License-Identifier: Apache-2.0
// Everything that the companion shows of now, read at one moment, at a cost that does not grow with
// the history.

import AtrestClient
import AtrestDomain
import AtrestProtocol
import AtrestReplication
import Foundation

/// The state of things.
struct Snapshot: Hashable {
  /// The fasts without an end, latest start first.
  var open: [Session] = []
  /// The shortest forms of their ids that name nothing else.
  var shortIDs: [String: String] = [:]
  /// What the person chose.
  var choices = Choices.none
  /// Whether the person's transition moment is due. See `TransitionMoment`.
  var isTransitionDue = false
  /// What was drunk today.
  var water: [WaterEntry] = []
  /// What the account may use.
  var entitlement = Entitlement.unknown
  /// Fasts completed so far.
  var completed = 0
  /// Writes that wait for the next sync; those that were refused, and those held back, do not
  /// count.
  var waiting = 0
  /// Writes that need the person: refused ones, and deletions that wait for a word.
  var stuck = 0
  /// Changes set aside.
  var conflicts = 0
  /// Whether there is a server to sync with.
  var isPaired = false

  /// Of a device where nothing was written yet.
  static let empty = Snapshot()

  /// The fast that goes on.
  var active: Session? { Fasting(open).active }

  /// Millilitres drunk today.
  func waterToday(_ context: CommandContext) -> Int {
    WaterDay.total(of: water, onDayOf: context.now, in: context.zone)
  }
}

extension Snapshot {
  /// Reads a replica.
  init(_ replica: Replica, _ context: CommandContext) throws {
    let status = try replica.status()
    entitlement = RememberedEntitlement.current(of: replica, status)
    conflicts = try replica.conflicts().count
    isPaired = status.isPaired
    stuck = status.refusedCount + status.heldDeletionCount
    waiting = status.pendingCount - stuck
    let entitlement = entitlement
    (open, shortIDs, choices, water, completed, isTransitionDue) = try replica.look { store in
      let open = try store.openSessions()
      let completed = try store.completedCount()
      let isDue = TransitionMoment.isDue(
        completed: completed, dismissed: try store.preference(TransitionMoment.dismissedKey),
        entitlement: entitlement)
      return (
        open, try store.shortIDs(of: open), try Choices(store),
        try store.waterAround(context.now), completed, isDue
      )
    }
  }
}

extension ReplicaTransaction {
  /// What was drunk within a day of now: enough for today, whatever the clocks do.
  func waterAround(_ now: Date) throws -> [WaterEntry] {
    let span: TimeInterval = 28 * 3600
    return try water(from: now.addingTimeInterval(-span), before: now.addingTimeInterval(span))
  }

  /// The short forms of some fasts' ids, by the whole ones.
  func shortIDs(of sessions: [Session]) throws -> [String: String] {
    var short: [String: String] = [:]
    for session in sessions {
      let hex = ShortID.hex(session.id)
      let digits = try distinctDigits(of: RecordKey(kind: .session, id: session.id.bytes))
      short[hex] = String(hex.prefix(max(ShortID.digits, digits)))
    }
    return short
  }
}
