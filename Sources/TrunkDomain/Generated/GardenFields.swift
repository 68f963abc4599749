// SPDX-License-Identifier: Apache-2.0
// The field numbers of the garden's messages. Made by Scripts/generate-protos.

import AtrestReplication

/// The numbers of the fields of each message.
enum GardenField {
  enum Sprout {
    static let title: FieldNumber = 2
    static let twig: FieldNumber = 3
    static let plan: FieldNumber = 4
    static let planting: FieldNumber = 5
    static let outcome: FieldNumber = 6
    static let reflection: FieldNumber = 7
    static let leaf: FieldNumber = 8
    static let bloom1: FieldNumber = 9
    static let bloom3: FieldNumber = 10
    static let bloom5: FieldNumber = 11
    static let createdMs: FieldNumber = 12
  }

  enum SproutPlan {
    static let season: FieldNumber = 1
    static let environment: FieldNumber = 2
  }

  enum SproutPlanting {
    static let atMs: FieldNumber = 1
    static let season: FieldNumber = 2
    static let environment: FieldNumber = 3
  }

  enum SproutOutcome {
    static let atMs: FieldNumber = 1
    static let result: FieldNumber = 2
  }

  enum Watering {
    static let given: FieldNumber = 2
    static let note: FieldNumber = 3
    static let prompt: FieldNumber = 4
  }

  enum WateringGiven {
    static let atMs: FieldNumber = 1
    static let day: FieldNumber = 2
    static let sprout: FieldNumber = 3
  }

  enum Shining {
    static let given: FieldNumber = 2
    static let note: FieldNumber = 3
    static let prompt: FieldNumber = 4
  }

  enum ShiningGiven {
    static let atMs: FieldNumber = 1
    static let week: FieldNumber = 2
    static let twig: FieldNumber = 3
  }

  enum Leaf {
    static let name: FieldNumber = 2
    static let twig: FieldNumber = 3
    static let createdMs: FieldNumber = 4
  }

  enum Node {
    static let label: FieldNumber = 2
    static let note: FieldNumber = 3
  }

  enum Setting {
    static let value: FieldNumber = 2
  }
}
