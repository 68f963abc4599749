// SPDX-License-Identifier: Apache-2.0
// The web app's export file: its events, labels and settings.

import Foundation

/// Trunk's export file, version 4: events are what happened; circles hold labels, notes and what no
/// event says, such as drafts.
///
/// The web app drops all but one of the events with the same `client_id`. So each of ours has its
/// own, made of the record's id and of what happened; reading a file twice changes nothing here.
struct GardenFile: Codable {
  /// The version that is written.
  static let version = 4
  /// The largest file that is read, in bytes: 64 MiB.
  static let limitBytes = 64 << 20

  var version: Int?
  /// The name of `version` in the app's own backups.
  var storedVersion: Int?
  var exportedAt: String?
  var events: [Lenient<Event>]?
  var circles: [String: Lenient<Circle>]?
  /// The name of `circles` in older files.
  var nodes: [String: Lenient<Circle>]?
  /// The shinings of files before version 4.
  var sunLog: [Lenient<SunEntry>]?
  var settings: Lenient<Settings>?

  enum CodingKeys: String, CodingKey {
    case version, exportedAt, events, circles, nodes, sunLog, settings
    case storedVersion = "_version"
  }

  struct Settings: Codable {
    var name: String?
  }

  /// A node of the tree.
  struct Circle: Codable {
    var label: String?
    var note: String?
    var sprouts: [Lenient<CircleSprout>]?
    var leaves: [Lenient<CircleLeaf>]?
  }

  /// A sprout as older files have it, and drafts in ours.
  struct CircleSprout: Codable {
    var id: String
    var title: String?
    var season: String?
    var environment: String?
    var state: String?
    var result: Int?
    var reflection: String?
    var leafId: String?
    var bloomWither: String?
    var bloomBudding: String?
    var bloomFlourish: String?
    var createdAt: String?
    var plantedAt: String?
    var activatedAt: String?
    var harvestedAt: String?
    var completedAt: String?
    var uprootedAt: String?
    var waterEntries: [Lenient<CircleWatering>]?
  }

  struct CircleWatering: Codable {
    var timestamp: String?
    var content: String?
    var prompt: String?
  }

  struct CircleLeaf: Codable {
    var id: String
    var name: String?
    var createdAt: String?
  }

  /// A shining as older files have it.
  struct SunEntry: Codable {
    struct Context: Codable {
      var twigId: String?
    }

    var timestamp: String
    var content: String?
    var prompt: String?
    var context: Context
  }

  /// One thing that happened. Which fields there are depends on the type.
  struct Event: Codable {
    var type: String
    var timestamp: String
    var clientID: String?
    var sproutId: String?
    var twigId: String?
    var leafId: String?
    var title: String?
    var name: String?
    var season: String?
    var environment: String?
    var soilCost: Double?
    var result: Int?
    var reflection: String?
    var capacityGained: Double?
    var soilReturned: Double?
    var content: String?
    var prompt: String?
    var twigLabel: String?
    var bloomWither: String?
    var bloomBudding: String?
    var bloomFlourish: String?

    // Keys of ours, which the web app ignores: what its events do not say.

    /// When a sprout was drafted, if that was not when it was planted.
    var createdAt: String?
    /// The garden's day of a watering where it was written, `2026-11-21`.
    var day: String?
    /// The Monday of a shining's week where it was written.
    var week: String?

    enum CodingKeys: String, CodingKey {
      case type, timestamp, sproutId, twigId, leafId, title, name, season, environment, soilCost
      case result, reflection, capacityGained, soilReturned, content, prompt, twigLabel
      case bloomWither, bloomBudding, bloomFlourish, createdAt, day, week
      case clientID = "client_id"
    }

    init(_ type: String, at timestamp: String) {
      (self.type, self.timestamp) = (type, timestamp)
    }
  }
}
