// SPDX-License-Identifier: Apache-2.0
// The garden's kinds of records. Made by Scripts/generate-protos.

import AtrestReplication

extension RecordKind {
  /// A goal on a twig.
  public static let sprout = Self(rawValue: 1_040)
  /// A few words about a sprout, on one day.
  public static let watering = Self(rawValue: 1_041)
  /// A reflection on a twig, in one week.
  public static let shining = Self(rawValue: 1_042)
  /// A saga: sprouts of one twig that belong together.
  public static let leaf = Self(rawValue: 1_043)
  /// The label and the note of a node.
  public static let node = Self(rawValue: 1_044)
  /// A setting of the garden.
  public static let setting = Self(rawValue: 1_045)
}
