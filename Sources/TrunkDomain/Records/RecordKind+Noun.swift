// SPDX-License-Identifier: Apache-2.0
// What people call the records of a garden, which speaks English alone.

import AtrestDomain
import AtrestReplication

extension RecordKind {
  /// The kinds of records that a garden is made of.
  public static var ofGarden: Set<RecordKind> {
    [.sprout, .watering, .shining, .leaf, .node, .setting]
  }

  /// What records of a garden's kind are called; nil for another kind.
  public var gardenNoun: Noun? {
    switch self {
    case .sprout: Noun(one: "a sprout", many: "sprouts")
    case .watering: Noun(one: "a watering", many: "waterings")
    case .shining: Noun(one: "a shining", many: "shinings")
    case .leaf: Noun(one: "a leaf", many: "leaves")
    case .node: Noun(one: "a label", many: "labels")
    case .setting: Noun(one: "a setting of the garden", many: "settings of the garden")
    default: nil
    }
  }
}
