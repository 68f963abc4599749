// SPDX-License-Identifier: Apache-2.0
// The field numbers of the garden's messages. Made by Scripts/generate-protos.

import AtrestReplication

/// The numbers of the fields of each message.
public enum GardenField {
  /// The fields of KIND_SPROUT, a goal.
  public enum Sprout {
    /// One line of 1 to 60 characters.
    public static let title: FieldNumber = 2
    /// The twig.
    public static let twig: FieldNumber = 3
    /// Required: a sprout that was planted keeps the plan that it had.
    public static let plan: FieldNumber = 4
    /// Absent for a draft.
    public static let planting: FieldNumber = 5
    /// Absent for a draft, and while the sprout grows.
    public static let outcome: FieldNumber = 6
    /// The id of the leaf (16 bytes) that the sprout belongs to.
    public static let leaf: FieldNumber = 7
    /// What a harvest of 1, of 3 and of 5 would look like: one line of at most 60 characters each.
    public static let bloom1: FieldNumber = 8
    /// See bloom1.
    public static let bloom3: FieldNumber = 9
    /// See bloom1.
    public static let bloom5: FieldNumber = 10
    /// When the sprout was drafted, in milliseconds since 1970, UTC.
    public static let createdMs: FieldNumber = 11
  }

  /// What a draft would be planted as.
  public enum SproutPlan {
    /// Required.
    public static let season: FieldNumber = 1
    /// Required.
    public static let environment: FieldNumber = 2
  }

  /// When a sprout was planted, and as what.
  public enum SproutPlanting {
    /// Milliseconds since 1970, UTC.
    public static let atMs: FieldNumber = 1
    /// Required.
    public static let season: FieldNumber = 2
    /// Required.
    public static let environment: FieldNumber = 3
  }

  /// How a sprout ended.
  public enum SproutOutcome {
    /// Milliseconds since 1970, UTC.
    public static let atMs: FieldNumber = 1
    /// 1 to 5 for a harvest.
    public static let result: FieldNumber = 2
    /// The words of the harvest, at most 2,000 characters.
    public static let reflection: FieldNumber = 3
    /// When what ended was planted.
    public static let plantedAtMs: FieldNumber = 4
    /// As what.
    public static let season: FieldNumber = 5
    /// See season.
    public static let environment: FieldNumber = 6
  }

  /// The fields of KIND_WATERING.
  public enum Watering {
    /// Required.
    public static let given: FieldNumber = 2
    /// The words.
    public static let note: FieldNumber = 3
    /// The question that they answer, if there was one.
    public static let prompt: FieldNumber = 4
  }

  /// Who was watered, and when.
  public enum WateringGiven {
    /// Milliseconds since 1970, UTC.
    public static let atMs: FieldNumber = 1
    /// The garden's day, as days since 1970-01-01.
    public static let day: FieldNumber = 2
    /// The id of the sprout, 16 bytes.
    public static let sprout: FieldNumber = 3
  }

  /// The fields of KIND_SHINING.
  public enum Shining {
    /// Required.
    public static let given: FieldNumber = 2
    /// The words.
    public static let note: FieldNumber = 3
    /// The question that they answer, if there was one.
    public static let prompt: FieldNumber = 4
  }

  /// Where the sun shone, and when.
  public enum ShiningGiven {
    /// Milliseconds since 1970, UTC.
    public static let atMs: FieldNumber = 1
    /// The garden's week, as the number of its Monday in days since 1970-01-01.
    public static let week: FieldNumber = 2
    /// The twig.
    public static let twig: FieldNumber = 3
  }

  /// The fields of KIND_LEAF, a saga.
  public enum Leaf {
    /// One line of 1 to 40 characters.
    public static let name: FieldNumber = 2
    /// The twig.
    public static let twig: FieldNumber = 3
    /// When the leaf was created, in milliseconds since 1970, UTC.
    public static let createdMs: FieldNumber = 4
  }

  /// The fields of KIND_NODE: what a person calls a part of the tree.
  public enum Node {
    /// One line of at most 60 characters.
    public static let label: FieldNumber = 2
    /// At most 2,000 characters.
    public static let note: FieldNumber = 3
  }

  /// The fields of KIND_SETTING.
  public enum Setting {
    /// At most 4096 bytes.
    public static let value: FieldNumber = 2
  }
}
