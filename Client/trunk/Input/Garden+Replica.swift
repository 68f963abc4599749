// SPDX-License-Identifier: Apache-2.0
// The garden's records in a replica.

import AtrestCompanion
import TrunkDomain

extension ReplicaTransaction {
  /// The garden of this moment. O(its records).
  ///
  /// - Parameter hasWords: Whether its waterings have their words, which take a sixth of the time.
  ///   A garden without them is only for looking at.
  func garden(hasWords: Bool = true) throws(ReplicaError) -> Garden {
    Garden(
      sprouts: try records(of: Sprout.self),
      waterings: try records(
        of: Watering.self, only: hasWords ? nil : [GardenField.Watering.given]),
      shinings: try records(of: Shining.self), leaves: try records(of: Leaf.self),
      labels: try records(of: NodeLabel.self), settings: try records(of: GardenSetting.self))
  }
}

extension ReplicaOptions<Trunk> {
  /// The garden of the replica; an empty one if there is none. Creates nothing.
  ///
  /// - Parameter hasWords: Whether its waterings have their words.
  func garden(hasWords: Bool = true) throws -> Garden {
    guard let replica = try openExisting() else { return Garden() }
    return try replica.look { try $0.garden(hasWords: hasWords) }
  }

  /// Reads the garden and writes to it, as one action that can be undone.
  ///
  /// - Parameters:
  ///   - creates: Whether to create a replica if there is none.
  ///   - check: Called with an empty garden before a replica is created: what cannot be done
  ///     creates none.
  func change<Result>(
    creates: Bool = true, firstTrying check: (Garden) throws -> Void = { _ in },
    _ body: (Garden, ReplicaTransaction) throws -> Result
  ) throws -> Result {
    if !Replica.exists(at: directory) {
      guard creates else {
        throw CommandFailure("There is no garden here yet. `trunk plant` begins one.")
      }
      try check(Garden())
    }
    return try open().change(body)
  }
}

extension Replica {
  /// Reads the garden and writes to it, as one action that can be undone.
  func change<Result>(_ body: (Garden, ReplicaTransaction) throws -> Result) throws -> Result {
    try transaction { store in
      let garden = try store.garden()
      return try store.action(.edit) { try body(garden, store) }
    }
  }
}
