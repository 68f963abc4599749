// SPDX-License-Identifier: Apache-2.0
// What a record of the garden takes over from the same record in a file. Pure.

import AtrestCompanion
import TrunkDomain

/// A record of the garden beside the same one in a file. What is here stays as it is; only what was
/// never set here comes from the file. What was cleared here was set, and stays clear.
protocol FillableRecord: SyncedRecord, Hashable {
  /// The record with what it lacks.
  ///
  /// - Parameter isSet: Whether a field was ever written here.
  func filled(from file: Self, where isSet: (FieldNumber) -> Bool) -> Self

  /// Whether the file says something else. What the file does not say is no difference, nor what
  /// was derived when it was read.
  func differs(from file: Self) -> Bool
}

/// The value here, else the one in a file unless the field was cleared here.
private func either<Value>(_ here: Value?, _ file: Value?, isSet: Bool) -> Value? {
  here ?? (isSet ? nil : file)
}

/// Whether a file says something else than what is here.
private func isOther<Value: Equatable>(_ here: Value?, _ file: Value?) -> Bool {
  file.map { $0 != here } ?? false
}

extension Sprout: FillableRecord {
  func filled(from file: Sprout, where isSet: (FieldNumber) -> Bool) -> Sprout {
    typealias Field = GardenField.Sprout
    var sprout = self
    sprout.planting = either(planting, file.planting, isSet: isSet(Field.planting))
    sprout.outcome = either(outcome, file.outcome, isSet: isSet(Field.outcome))
    sprout.leaf = either(leaf, file.leaf, isSet: isSet(Field.leaf))
    sprout.blooms.one = either(blooms.one, file.blooms.one, isSet: isSet(Field.bloom1))
    sprout.blooms.three = either(blooms.three, file.blooms.three, isSet: isSet(Field.bloom3))
    sprout.blooms.five = either(blooms.five, file.blooms.five, isSet: isSet(Field.bloom5))
    // The words of a harvest are in its field: they were written later than the harvest.
    if let theirs = file.outcome, sprout.hasEnd(of: theirs), outcome?.reflection == nil {
      sprout.outcome?.reflection = theirs.reflection
    }
    return sprout
  }

  func differs(from file: Sprout) -> Bool {
    // A plan is the file's own only for a draft: a planting says what it was planted as. When a
    // sprout was drafted the web app does not say.
    if planting == nil, file.planting == nil, plan != file.plan { return true }
    if let theirs = file.outcome {
      guard hasEnd(of: theirs), !isOther(outcome?.reflection, theirs.reflection) else {
        return true
      }
    }
    return title != file.title || twig != file.twig || isOther(planting, file.planting)
      || isOther(leaf, file.leaf) || isOther(blooms.one, file.blooms.one)
      || isOther(blooms.three, file.blooms.three) || isOther(blooms.five, file.blooms.five)
  }

  /// Whether it ended at the time and with the result of an outcome. A file has the time at which
  /// the end counts.
  private func hasEnd(of theirs: Outcome) -> Bool {
    guard let outcome, outcome.result == theirs.result else { return false }
    return outcome.at == theirs.at || ended == theirs.at
  }
}

extension Watering: FillableRecord {
  func filled(from file: Watering, where isSet: (FieldNumber) -> Bool) -> Watering {
    typealias Field = GardenField.Watering
    var watering = self
    watering.note = either(note, file.note, isSet: isSet(Field.note))
    watering.prompt = either(prompt, file.prompt, isSet: isSet(Field.prompt))
    return watering
  }

  func differs(from file: Watering) -> Bool {
    // The day may be one that was derived where the file was read.
    sprout != file.sprout || at != file.at || isOther(note, file.note)
      || isOther(prompt, file.prompt)
  }
}

extension Shining: FillableRecord {
  func filled(from file: Shining, where isSet: (FieldNumber) -> Bool) -> Shining {
    typealias Field = GardenField.Shining
    var shining = self
    shining.note = either(note, file.note, isSet: isSet(Field.note))
    shining.prompt = either(prompt, file.prompt, isSet: isSet(Field.prompt))
    return shining
  }

  func differs(from file: Shining) -> Bool {
    twig != file.twig || at != file.at || isOther(note, file.note) || isOther(prompt, file.prompt)
  }
}

extension Leaf: FillableRecord {
  func filled(from file: Leaf, where isSet: (FieldNumber) -> Bool) -> Leaf { self }

  func differs(from file: Leaf) -> Bool { name != file.name || twig != file.twig }
}

extension NodeLabel: FillableRecord {
  func filled(from file: NodeLabel, where isSet: (FieldNumber) -> Bool) -> NodeLabel {
    NodeLabel(
      id: id, label: either(label, file.label, isSet: isSet(GardenField.Node.label)),
      note: either(note, file.note, isSet: isSet(GardenField.Node.note)))
  }

  func differs(from file: NodeLabel) -> Bool {
    isOther(label, file.label) || isOther(note, file.note)
  }
}

extension GardenSetting: FillableRecord {
  func filled(from file: GardenSetting, where isSet: (FieldNumber) -> Bool) -> GardenSetting {
    self
  }

  func differs(from file: GardenSetting) -> Bool { value != file.value }
}
