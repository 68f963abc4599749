// SPDX-License-Identifier: Apache-2.0
// The web app's export file: its events, labels and settings.

import Foundation

/// Trunk's export file, version 4: events are what happened; circles hold labels, notes and what no
/// event says, such as drafts.
///
/// Every event of ours has a `client_id`, the record's own id, so that a file that is read twice
/// changes nothing. The web app ignores it.
struct GardenFile: Codable {
  /// The version that is written.
  static let version = 4
  /// The largest file that is read, in bytes: 64 MiB.
  static let limitBytes = 64 << 20

  var version: Int?
  /// The name of `version` in the app's own backups.
  var storedVersion: Int?
  var exportedAt: String?
  var events: [Event]?
  var circles: [String: Circle]?
  /// The name of `circles` in older files.
  var nodes: [String: Circle]?
  var settings: Settings?

  enum CodingKeys: String, CodingKey {
    case version, exportedAt, events, circles, nodes, settings
    case storedVersion = "_version"
  }

  struct Settings: Codable {
    var name: String?
  }

  /// A node of the tree.
  struct Circle: Codable {
    var label: String?
    var note: String?
    var sprouts: [CircleSprout]?
    var leaves: [CircleLeaf]?
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
    var waterEntries: [CircleWatering]?
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

    enum CodingKeys: String, CodingKey {
      case type, timestamp, sproutId, twigId, leafId, title, name, season, environment, soilCost
      case result, reflection, capacityGained, soilReturned, content, prompt, twigLabel
      case bloomWither, bloomBudding, bloomFlourish
      case clientID = "client_id"
    }

    init(_ type: String, at timestamp: String) {
      (self.type, self.timestamp) = (type, timestamp)
    }
  }
}

/// Why a file is no garden. Nothing was changed.
enum GardenFileProblem: Error, Hashable {
  /// It cannot be read.
  case unreadable(String)
  /// It is larger than `GardenFile.limitBytes`.
  case tooLarge
  /// It is no JSON of the app's form.
  case notAGarden
  /// It is of a version that is not known.
  case laterVersion(Int)

  /// What happened, then what to do.
  var userMessage: String {
    switch self {
    case .unreadable(let why):
      "The file could not be read (\(why)). Check its name."
    case .tooLarge:
      "The file has more than \(GardenFile.limitBytes >> 20) MiB, and no garden does. Nothing was imported."
    case .notAGarden:
      "That is not a file of Trunk's. Choose one that `trunk export` or the web app wrote."
    case .laterVersion(let version):
      "The file is of version \(version); this program reads up to \(GardenFile.version). Update it."
    }
  }
}
