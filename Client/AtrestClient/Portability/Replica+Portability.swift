// SPDX-License-Identifier: Apache-2.0
// Imports files into a replica and exports its records.

import AtrestDomain
import AtrestPortability
import AtrestReplication
import AtrestSync
import AtrestWire
import Foundation

import struct AtrestReplication.Record

extension Replica {
  /// What `import` would do now. Writes nothing.
  ///
  /// - Parameter preferFile: See `ImportDecision`.
  /// - Throws: `PortabilityError` for entries in the future; `ReplicaError`.
  public func preview(_ file: ImportFile, preferFile: Bool = false) throws -> ImportReport {
    try run(.deferred) { try $0.plan(file, preferFile: preferFile).report }
  }

  /// Imports a file in one transaction, as ordinary writes that the next sync offers. Idempotent:
  /// importing the same file again writes nothing.
  ///
  /// - Parameter preferFile: See `ImportDecision`.
  /// - Returns: What was done.
  /// - Throws: `PortabilityError` for entries in the future; `ReplicaError`.
  /// - Complexity: O(n); ten thousand fasts take well under a second.
  @discardableResult
  public func `import`(_ file: ImportFile, preferFile: Bool = false) throws -> ImportReport {
    try transaction { transaction in
      let plan = try transaction.plan(file, preferFile: preferFile)
      try transaction.action(.import) { try transaction.carryOut(plan) }
      return plan.report
    }
  }

  /// Exports every record that is not deleted in the native format. See `AtrestExport.write`.
  public func export(
    stamps: Bool = false, since: WallTime? = nil,
    inWords: (Record) -> RecordInWords? = { _ in nil }
  ) throws -> (bytes: [UInt8], counts: [RecordKind: Int]) {
    try AtrestExport.write(
      allRecords(), madeAt: clock.now(),
      program: ProgramVersion.text, stamps: stamps, since: since, inWords: inWords)
  }

  /// Exports completed fasts of 4 hours or more in the iOS app's format. See `IOSExport.write`.
  public func exportForIOS(since: WallTime? = nil) throws -> (bytes: [UInt8], count: Int) {
    let sessions = try sessions().filter { session in
      guard let since, let end = session.span.end else { return true }
      return end >= since
    }
    return IOSExport.write(sessions, madeAt: clock.now())
  }
}

extension ReplicaTransaction {
  fileprivate func plan(_ file: ImportFile, preferFile: Bool) throws -> ImportPlan {
    try file.check(now: now)
    let undone = try work.undoneImports()
    return try ImportPlan(
      file, preferFile: preferFile, now: now,
      stored: { key throws(ReplicaError) in undone.contains(key) ? nil : try record(key) },
      sessions: { () throws(ReplicaError) in try sessions() })
  }

  fileprivate func carryOut(_ plan: ImportPlan) throws(ReplicaError) {
    for step in plan.steps where !step.values.isEmpty {
      if let transaction = step.entry.signedTransaction {
        try keep(signedTransaction: transaction)
      } else {
        try work.write(step.key, step.values.map { ($0.field, $0.bytes) })
      }
    }
    for session in plan.finished { try save(session) }
    if let active = plan.active { try save(active) }
  }
}
