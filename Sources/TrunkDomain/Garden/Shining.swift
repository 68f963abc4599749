// SPDX-License-Identifier: Apache-2.0
// A reflection on a twig.

import AtrestReplication

/// A reflection on a twig.
public struct Shining: Hashable, Identifiable, Sendable {
  /// Chosen when it is written.
  public let id: RecordUUID
  /// Where the sun shone.
  public var twig: Twig
  /// When.
  public var at: WallTime
  /// The garden's week where it was written.
  public var week: GardenWeek
  /// The words.
  public var note: String?
  /// The question that they answer.
  public var prompt: String?

  /// A shining.
  public init(
    id: RecordUUID, twig: Twig, at: WallTime, week: GardenWeek, note: String?,
    prompt: String? = nil
  ) {
    self.id = id
    self.twig = twig
    self.at = at
    self.week = week
    self.note = note
    self.prompt = prompt
  }

  /// Shinings of a week that bring soil back: 1. Others are kept for their words.
  public static let perWeek = 1
}
