// SPDX-License-Identifier: Apache-2.0
// Everything that the companion shows, read in one transaction at a cost independent of the
// history.

import AtrestClient
import AtrestCommandLine
import AtrestCompanion
import AtrestDomain
import AtrestReplication
import AtrestWire
import Foundation

/// The state that the companion shows.
struct Snapshot: Hashable {
  /// The open fasts, latest start first.
  var open: [Session] = []
  /// Their shortest unique id prefixes.
  var shortIDs: [String: String] = [:]
  /// The person's settings.
  var choices = Choices.none
  /// Whether the transition moment is due. See `TransitionMoment`.
  var isTransitionDue = false
  /// Today's drinks.
  var water: [WaterEntry] = []
  /// The account's entitlement.
  var entitlement = Entitlement.unknown
  /// The number of completed fasts.
  var completed = 0
  /// Writes waiting for the next sync, without refused and held ones.
  var waiting = 0
  /// Writes that need the person: refused writes and held deletions.
  var stuck = 0
  /// The number of open journal entries.
  var conflicts = 0
  /// Pairs of fasts that share time, among those that ended lately.
  var overlaps = 0
  var isPaired = false

  /// How far back overlaps are looked for: what is older was seen before.
  static let overlapMilliseconds = 60 * Milliseconds.perDay

  /// The state of a device without a replica.
  static let empty = Snapshot()

  /// The active fast.
  var active: Session? { Fasting(open).active }

  /// Today's total in millilitres.
  func waterToday(_ context: CommandContext) -> Int {
    WaterDay.total(of: water, onDayOf: context.now, in: context.zone)
  }
}

extension Snapshot {
  /// Reads a snapshot from a replica.
  init(_ replica: Replica, _ context: CommandContext) throws {
    let status = try replica.status()
    entitlement = RememberedEntitlement.current(of: replica, status)
    conflicts = try replica.conflicts().count
    isPaired = status.isPaired
    stuck = status.refusedCount + status.heldDeletionCount
    waiting = status.pendingCount - stuck
    let entitlement = entitlement
    (open, shortIDs, choices, water, completed, isTransitionDue, overlaps) = try replica.look {
      store in
      let open = try store.openSessions()
      let completed = try store.completedCount()
      let isDue = TransitionMoment.isDue(
        completed: completed, dismissed: try store.preference(TransitionMoment.dismissedKey),
        entitlement: entitlement)
      return (
        open, try store.shortIDs(of: open), try Choices(store),
        try store.waterAround(context.now), completed, isDue,
        Overlap.all(
          in: try store.history(from: context.now.advanced(by: -Self.overlapMilliseconds))
        ).count
      )
    }
  }
}

extension Snapshot {
  /// Reads only what a line of `NowTemplate` shows. Verifies no purchase and reads no history, so
  /// it is quick enough for a prompt.
  init(lineOf replica: Replica, _ context: CommandContext) throws {
    let status = try replica.status()
    waiting = status.pendingCount - status.refusedCount - status.heldDeletionCount
    (open, choices, water) = try replica.look { store in
      (try store.openSessions(), try Choices(store), try store.waterAround(context.now))
    }
  }
}

extension ReplicaTransaction {
  /// Drinks within 28 hours of now, which covers today under any change of the clocks.
  func waterAround(_ now: WallTime) throws -> [WaterEntry] {
    let span = 28 * Milliseconds.perHour
    return try water(from: now.advanced(by: -span), before: now.advanced(by: span))
  }

  /// The short ids of some fasts, by full id.
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
