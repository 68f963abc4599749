// SPDX-License-Identifier: Apache-2.0
// Why something cannot be done in the garden, each with its sentence.

import AtrestDomain
import AtrestReplication

/// Why something cannot be done in the garden. Nothing was changed.
public enum GardenProblem: Error, Hashable, Sendable {
  /// There is not enough soil.
  case notEnoughSoil(needed: Soil, there: Soil)
  /// The waterings of the day are used.
  case noWater
  /// The shining of the week is used.
  case noSun
  /// A title of no or too many characters.
  case title
  /// A leaf's name of no or too many characters.
  case leafName
  /// A bloom of too many characters.
  case bloom
  /// A label of too many characters.
  case label
  /// A note or a reflection of too many characters.
  case note
  /// A title, a name, a bloom or a label with a character that steers a display.
  case control
  /// Not a season.
  case season
  /// Not an environment.
  case environment
  /// Not a result.
  case result
  /// Not a twig.
  case twig
  /// Not a part of the tree.
  case node
  /// Not a branch.
  case branch
  /// Only what grows can be watered, harvested and uprooted.
  case notGrowing(Sprout.State)
  /// Only what was harvested or uprooted has words about that.
  case notEnded
  /// Only a draft can be planted, and only a draft's plan changed.
  case notADraft
  /// Only a draft can be deleted.
  case plantedCannotBeDeleted
  /// A time before the sprout was planted.
  case beforePlanting
  /// The leaf is on another twig.
  case leafElsewhere(Twig)

  /// What happened, then what to do.
  public var userMessage: String {
    switch self {
    case .notEnoughSoil(let needed, let there):
      "That takes \(needed.shortText) soil, and there is \(there.shortText). Watering and sun bring "
        + "soil back, and so does a harvest; a draft keeps the idea until then."
    case .noWater:
      "The day's water is used. A day has water for three, and begins at 6:00 in the morning."
    case .noSun:
      "The week's sun is used. A week has sun for one twig, and begins on Monday at 6:00 in the "
        + "morning."
    case .title:
      "A title has 1 to \(GardenRules.titleCharacters) characters. Choose another one."
    case .leafName:
      "A leaf's name has 1 to \(GardenRules.leafCharacters) characters. Choose another one."
    case .bloom:
      "A bloom has at most \(GardenRules.bloomCharacters) characters. Shorten it."
    case .label:
      "A label has at most \(GardenRules.labelCharacters) characters. Shorten it."
    case .note:
      "A note has at most \(GardenRules.noteCharacters) characters. Shorten it."
    case .control:
      "That holds a control character, which no title, name, bloom or label does. Leave it out."
    case .season:
      "A season is 2w, 1m, 3m, 6m or 1y."
    case .environment:
      "An environment is fertile, firm or barren."
    case .result:
      "A result is a number from 1 to 5."
    case .twig:
      "That is no twig. Branches and twigs have numbers from 1 to 8, as in 3.5."
    case .node:
      "That is no part of the tree. Write trunk, a branch such as 3, or a twig such as 3.5."
    case .branch:
      "That is no branch. They have numbers from 1 to 8."
    case .notGrowing(.draft):
      "That is a draft. Plant it first."
    case .notGrowing(.completed):
      "That was harvested already. Choose what still grows."
    case .notGrowing(.failed):
      "That was uprooted. Choose what still grows."
    case .notEnded:
      "That has not ended yet. Write the words about it when it is harvested."
    case .notGrowing(.active), .notADraft:
      "That is planted already. Its title, blooms and leaf can still be edited."
    case .plantedCannotBeDeleted:
      "Only a draft can be deleted. Uproot what grows; the journal keeps the rest."
    case .beforePlanting:
      "That is before it was planted. Choose a later time."
    case .leafElsewhere(let twig):
      "That leaf is on twig \(twig.number). A sprout belongs to a leaf of its own twig."
    }
  }
}

/// The rules for what people type. Stricter than the rules for reading: records of other programs
/// and versions are still shown and synced.
public enum GardenRules {
  /// The longest title, in characters.
  public static let titleCharacters = 60
  /// The longest name of a leaf, in characters.
  public static let leafCharacters = 40
  /// The longest bloom, in characters.
  public static let bloomCharacters = 60
  /// The longest label of a part of the tree, in characters.
  public static let labelCharacters = 60
  /// The longest note, in characters.
  public static let noteCharacters = 2_000

  /// A title in one line, without spaces around it.
  ///
  /// - Throws: `.title` unless it has 1 to 60 characters; `.control`.
  public static func title(_ text: String) throws(GardenProblem) -> String {
    let text = try line(text)
    guard (1...titleCharacters).contains(text.count), isBounded(text) else { throw .title }
    return text
  }

  /// A leaf's name in one line, without spaces around it.
  ///
  /// - Throws: `.leafName` unless it has 1 to 40 characters; `.control`.
  public static func leafName(_ text: String) throws(GardenProblem) -> String {
    let text = try line(text)
    guard (1...leafCharacters).contains(text.count), isBounded(text) else { throw .leafName }
    return text
  }

  /// A bloom in one line, without spaces around it; nil for an empty one.
  ///
  /// - Throws: `.bloom` if it has more than 60 characters; `.control`.
  public static func bloom(_ text: String) throws(GardenProblem) -> String? {
    let text = try line(text)
    guard text.count <= bloomCharacters, isBounded(text) else { throw .bloom }
    return text.isEmpty ? nil : text
  }

  /// A label in one line, without spaces around it; nil for an empty one.
  ///
  /// - Throws: `.label` if it has more than 60 characters; `.control`.
  public static func label(_ text: String) throws(GardenProblem) -> String? {
    let text = try line(text)
    guard text.count <= labelCharacters, isBounded(text) else { throw .label }
    return text.isEmpty ? nil : text
  }

  /// A note without spaces around it; nil for an empty one.
  ///
  /// - Throws: `.note` if it has more than 2,000 characters.
  public static func note(_ text: String) throws(GardenProblem) -> String? {
    let text = trimmed(text)
    guard text.count <= noteCharacters, isBounded(text) else { throw .note }
    return text.isEmpty ? nil : text
  }

  /// A text of another program as one line: with a space for each run of line breaks, tabs and
  /// other characters that steer a display.
  public static func inOneLine(_ text: String) -> String { spaced(text) { $0.steersDisplay } }

  /// A typed text as one line, without spaces around it. Line breaks and tabs are what a paste
  /// brings along, and become spaces. Other controls nobody means to write.
  private static func line(_ text: String) throws(GardenProblem) -> String {
    let text = trimmed(spaced(text) { $0.steersDisplay && $0.isBlank })
    guard !text.unicodeScalars.contains(where: { $0.steersDisplay }) else { throw .control }
    return text
  }

  /// The text with a space for each run of scalars that are not wanted.
  private static func spaced(_ text: String, _ isUnwanted: (Unicode.Scalar) -> Bool) -> String {
    var kept = String.UnicodeScalarView()
    var isRun = false
    for scalar in text.unicodeScalars {
      if isUnwanted(scalar) {
        if !isRun { kept.append(" ") }
        isRun = true
      } else {
        kept.append(scalar)
        isRun = false
      }
    }
    return String(kept)
  }

  /// A character can be any number of bytes; a record cannot.
  private static func isBounded(_ text: String) -> Bool { text.utf8.count <= 12_000 }

  private static func trimmed(_ text: String) -> String {
    var text = text[...]
    while text.first?.isBlank == true { text.removeFirst() }
    while text.last?.isBlank == true { text.removeLast() }
    return String(text)
  }
}
