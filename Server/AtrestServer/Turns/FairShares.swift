// SPDX-License-Identifier: Apache-2.0
// Decides whose turn it is among parties that wait for one resource. Pure.

/// Start-time fair queueing: the next turn goes to the party that was served least.
///
/// Each party has a virtual time: the sum of its charges. A party that returns after a pause starts
/// at the current virtual time, so nobody saves up turns. A party with a large recent charge waits
/// until the others catch up. Ties are broken by arrival order.
///
/// Source: P. Goyal, H. Vin, H. Cheng, "Start-time Fair Queuing", SIGCOMM 1996. Charges are made
/// after the work, because its cost is unknown before.
package struct FairShares<Party: Hashable & Sendable>: Sendable {
  private struct Turn {
    let start: UInt64
    /// The arrival order.
    let number: UInt64
    let party: Party

    func isBefore(_ other: Turn) -> Bool {
      (start, number) < (other.start, other.number)
    }
  }

  /// A binary heap: no element is before its parent, which is at (index - 1) / 2.
  private var turns: [Turn] = []
  private var waiting: Set<Party> = []
  /// The virtual times of parties that wait, are being served, or are ahead of the others.
  private var charged: [Party: UInt64] = [:]
  /// The current virtual time: the start of the latest turn.
  private var now: UInt64 = 0
  private var count: UInt64 = 0

  package init() {}

  /// Whether no party waits.
  package var isEmpty: Bool { turns.isEmpty }

  /// Adds a party to the queue. Does nothing if it already waits. O(log n).
  package mutating func wait(_ party: Party) {
    guard waiting.insert(party).inserted else { return }
    let start = max(charged[party] ?? now, now)
    charged[party] = start
    count &+= 1
    turns.append(Turn(start: start, number: count, party: party))
    rise()
  }

  /// Removes and returns the party whose turn it is. Nil if nobody waits. O(log n).
  package mutating func next() -> Party? {
    guard let first = turns.first else { return nil }
    turns.swapAt(0, turns.count - 1)
    turns.removeLast()
    sink()
    waiting.remove(first.party)
    now = first.start
    forget()
    return first.party
  }

  /// Charges a party for its turn. A charge counts as at least 1, so that no turn is free.
  ///
  /// - Parameter cost: In any unit, the same for all parties. The server uses nanoseconds.
  package mutating func charge(_ party: Party, _ cost: UInt64) {
    let (sum, overflow) = (charged[party] ?? now).addingReportingOverflow(max(1, cost))
    charged[party] = overflow ? .max : sum
  }

  /// Drops parties that neither wait nor are ahead: they start like new ones. Amortised O(1).
  private mutating func forget() {
    guard charged.count > 2 * waiting.count + 64 else { return }
    charged = charged.filter { waiting.contains($0.key) || $0.value > now }
  }

  private mutating func rise() {
    var index = turns.count - 1
    while index > 0, case let parent = (index - 1) / 2, turns[index].isBefore(turns[parent]) {
      turns.swapAt(index, parent)
      index = parent
    }
  }

  private mutating func sink() {
    var index = 0
    while 2 * index + 1 < turns.count {
      let (left, right) = (2 * index + 1, 2 * index + 2)
      let least = right < turns.count && turns[right].isBefore(turns[left]) ? right : left
      guard turns[least].isBefore(turns[index]) else { return }
      turns.swapAt(index, least)
      index = least
    }
  }
}
