// SPDX-License-Identifier: Apache-2.0
// A browser's tables do what a device's file does.

import AtrestClient
import AtrestSync
import AtrestWire

/// Tables in memory that hold what a replica holds, for the replica's next request.
struct MemoryTwin {
  private let replica: Replica
  private let before: ReplicaChanges
  private let tables: MemoryTables

  init(of replica: Replica) throws(ReplicaError) {
    self.replica = replica
    before = try replica.contents()
    tables = MemoryTables(name: "twin", loading: before)
  }

  /// Performs a request that the replica has performed.
  ///
  /// - Parameters:
  ///   - reply: What the replica replied.
  ///   - numbers: The random numbers that it drew.
  /// - Returns: What is different in memory. Nil if nothing is.
  func difference(
    performing request: StoreRequest, reply: StoreReply, at now: WallTime, pageRecords: Int,
    numbers: [UInt64]
  ) throws(ReplicaError) -> String? {
    let after = try replica.contents()
    let draw = Draw(numbers)
    var work = UnitOfWork(tables, now: now, random: draw.next)
    let changes: ReplicaChanges
    do throws(ReplicaError) {
      guard try work.reply(to: request, pageRecords: pageRecords) == reply else {
        return "another reply"
      }
      changes = try tables.takeChanges()
    } catch {
      return "\(error)"
    }
    guard tables.contents == after else { return "other rows" }
    return changes.isEmpty && after != before ? "no changes to keep" : nil
  }

  /// Numbers that were drawn before.
  private final class Draw {
    private var left: ArraySlice<UInt64>

    init(_ numbers: [UInt64]) { left = numbers[...] }

    func next() -> UInt64 { left.popFirst() ?? 1 }
  }
}
