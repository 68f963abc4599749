// SPDX-License-Identifier: Apache-2.0
// Decides whose turn it is among those that wait for one resource. Pure.

/// Start-time fair queueing: the next turn is that of the party that has had the least.
///
/// Each party has a virtual time: what it has been charged. One that comes back after a pause
/// begins where the others are, so that nobody saves up turns; one that was charged much a moment
/// ago still has to wait until the others have had as much. Turns that are equal go in the order of
/// waiting.
///
/// Source: P. Goyal, H. Vin, H. Cheng, "Start-time Fair Queuing", SIGCOMM 1996; the charge is made
/// when the work is done, because nobody knows before what it costs.
package struct FairShares<Party: Hashable & Sendable>: Sendable {
  private struct Turn {
    let start: UInt64
    /// The order of waiting.
    let number: UInt64
    let party: Party

    func isBefore(_ other: Turn) -> Bool {
      (start, number) < (other.start, other.number)
    }
  }

  /// A binary heap: no turn is before its parent, which is at half its index.
  private var turns: [Turn] = []
  private var waiting: Set<Party> = []
  /// What those have been charged that wait, have their turn, or are ahead of the others.
  private var charged: [Party: UInt64] = [:]
  /// The virtual time: where the party was that had the last turn.
  private var now: UInt64 = 0
  private var count: UInt64 = 0

  /// Nobody waits.
  package init() {}

  /// Whether nobody waits.
  package var isEmpty: Bool { turns.isEmpty }

  /// A party waits from now on; nothing happens if it does already. O(log n).
  package mutating func wait(_ party: Party) {
    guard waiting.insert(party).inserted else { return }
    let start = max(charged[party] ?? now, now)
    charged[party] = start
    count &+= 1
    turns.append(Turn(start: start, number: count, party: party))
    rise()
  }

  /// Takes the party out whose turn it is; nil if nobody waits. O(log n).
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

  /// Charges a party for what it had. A charge is at least 1, or a party could have turns for
  /// nothing.
  ///
  /// - Parameter cost: In any unit, the same for all; nanoseconds of work here.
  package mutating func charge(_ party: Party, _ cost: UInt64) {
    let (sum, overflow) = (charged[party] ?? now).addingReportingOverflow(max(1, cost))
    charged[party] = overflow ? .max : sum
  }

  /// Whoever neither waits nor is ahead begins like anybody who comes for the first time. Amortised
  /// O(1).
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
