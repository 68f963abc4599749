// SPDX-License-Identifier: Apache-2.0
// Reads the garden of a replica, and what its screens ask for.

import AtrestDomain
import AtrestReplication
import AtrestSync
import AtrestWire
import TrunkDomain

extension WebCore {
  /// The kinds of records that a fasting person writes.
  static var fastingKinds: Set<RecordKind> { [.session, .water, .preference] }

  /// The garden of this moment. O(its records).
  func garden(in work: Work) throws(CoreFailure) -> Garden {
    Garden(
      sprouts: try records(of: Sprout.self, in: work),
      waterings: try records(of: Watering.self, in: work),
      shinings: try records(of: Shining.self, in: work),
      leaves: try records(of: Leaf.self, in: work),
      labels: try records(of: NodeLabel.self, in: work),
      settings: try records(of: GardenSetting.self, in: work))
  }

  private func records<R: SyncedRecord>(
    of type: R.Type, in work: Work
  ) throws(CoreFailure) -> [R] {
    try told { () throws(ReplicaError) in
      var records: [R] = []
      try work.records.forEachFields(of: R.kind, only: nil) { id, fields in
        if let id = R.ID(bytes: id), let record = R(id: id, fields: fields) {
          records.append(record)
        }
      }
      return records
    }
  }

  /// Whether the account has a garden: then the timer shows the way there.
  func hasGarden(in work: Work) throws(CoreFailure) -> Bool {
    try told { () throws(ReplicaError) in
      for kind in [RecordKind.sprout, .shining, .node] {
        if try !work.records.all(kind, { $0.key }).isEmpty { return true }
      }
      return false
    }
  }

  func sprout(_ argument: Arguments, in garden: Garden) throws(CoreFailure) -> Sprout {
    guard let sprout = garden.sprout(try argument.required(argument.id("id"))) else {
      throw CoreFailure(
        code: "notFound", "This sprout is not here any more. Go back to the garden.")
    }
    return sprout
  }

  /// A part of the tree, as it is typed: `trunk`, `3`, `3.5`.
  func node(_ argument: Arguments) throws(CoreFailure) -> NodeID? {
    guard let typed = try argument.text("node") else { return nil }
    guard let node = NodeID(typed: typed) else { throw CoreFailure(GardenProblem.node) }
    return node
  }

  func twig(_ argument: Arguments) throws(CoreFailure) -> Twig? {
    guard let typed = try argument.text("twig") else { return nil }
    guard let twig = Twig(typed: typed) else { throw CoreFailure(GardenProblem.twig) }
    return twig
  }
}

extension CoreFailure {
  init(_ problem: GardenProblem) { self.init(code: "input", problem.userMessage) }
}

/// Has a problem of the garden as the core tells it.
func grown<Value>(_ body: () throws(GardenProblem) -> Value) throws(CoreFailure) -> Value {
  do { return try body() } catch { throw CoreFailure(error) }
}

extension RecordUUID {
  /// As the shell names a record.
  var name: String { uuidString.lowercased() }
}
