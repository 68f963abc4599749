// SPDX-License-Identifier: Apache-2.0
// A few words about a sprout, on one day.

import AtrestReplication

/// A few words about a sprout.
public struct Watering: Hashable, Identifiable, Sendable {
  /// Chosen when it is written.
  public let id: RecordUUID
  /// The sprout.
  public var sprout: RecordUUID
  /// When.
  public var at: WallTime
  /// The garden's day where it was written.
  public var day: GardenDay
  /// The words.
  public var note: String?
  /// The question that they answer.
  public var prompt: String?

  /// A watering.
  public init(
    id: RecordUUID, sprout: RecordUUID, at: WallTime, day: GardenDay, note: String?,
    prompt: String? = nil
  ) {
    self.id = id
    self.sprout = sprout
    self.at = at
    self.day = day
    self.note = note
    self.prompt = prompt
  }

  /// Waterings of a day that bring soil back: 3. Others are kept for their words.
  public static let perDay = 3
}
