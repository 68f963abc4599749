// SPDX-License-Identifier: Apache-2.0
// Why a file is no garden, each with its sentence.

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
