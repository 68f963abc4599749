// SPDX-License-Identifier: Apache-2.0
// The questions before something is done in the live garden. Pure.

import AtrestCompanion
import TrunkDomain

/// The questions before an action, one at a time.
struct GardenForm: Hashable {
  /// What the answers are for.
  enum Purpose: Hashable {
    case sprout(on: Twig, isDraft: Bool)
    case water(Sprout)
    case shine(Twig)
    case harvest(Sprout)
    case uproot(Sprout)
    case label(NodeID)
  }

  /// What is asked now.
  enum Question: Hashable {
    /// Words, possibly none.
    case words(String)
    /// One of some answers.
    case choice(String, [String])
  }

  /// What an answer led to.
  enum Step: Hashable {
    /// There is another question.
    case next
    /// The answers are complete.
    case done(GardenAction)
    /// The answer will not do; the question stays.
    case refused(GardenProblem)
    /// The person decided not to.
    case left
  }

  let purpose: Purpose
  /// The words so far.
  private(set) var words: String
  /// The choice under the cursor, from 0.
  private(set) var choice: Int
  private var title: String?
  private var season: Season?
  private var result: HarvestResult?

  /// The most characters of an answer that is typed: more than any rule allows.
  static let wordLimit = GardenRules.noteCharacters + 100

  init(_ purpose: Purpose, words: String = "") {
    self.purpose = purpose
    self.words = words
    choice =
      switch purpose {
      // As the commands have it: a month in fertile ground.
      case .sprout: Season.allCases.firstIndex(of: .oneMonth) ?? 0
      case .harvest: HarvestResult.allCases.firstIndex(of: .good) ?? 0
      default: 0
      }
  }

  /// What is asked now.
  var question: Question {
    switch purpose {
    case .sprout(let twig, let isDraft):
      let verb = isDraft ? "Draft" : "Plant"
      guard title != nil else { return .words("\(verb) on twig \(twig.number). What is the goal?") }
      guard let season else {
        return .choice("How long is its season?", Season.allCases.map(\.label))
      }
      return .choice(
        "What is the ground like?",
        Environment.allCases.map {
          "\($0.code), \($0.meaning): \(Sprout.Plan(season, $0).cost.shortText) soil"
        })
    case .water(let sprout): return .words("Water \(GardenWords.title(sprout)). A few words?")
    case .shine(let twig):
      return .words("Let the sun shine on twig \(twig.number). How was its week?")
    case .harvest(let sprout):
      guard result != nil else {
        return .choice(
          "Harvest \(GardenWords.title(sprout)). How did it go?",
          HarvestResult.allCases.map { result in
            let bloom = sprout.blooms.text(for: result).map { ": \($0.escapedForTerminal)" } ?? ""
            return "\(result.rawValue) \(result.label)\(bloom)"
          })
      }
      return .words("Words about it?")
    case .uproot(let sprout):
      return .choice(
        "Let \(GardenWords.title(sprout)) go? A quarter of its soil comes back.",
        ["No, it stays", "Yes, uproot it"])
    case .label(let node): return .words("What is \(node.plainName) called?")
    }
  }

  /// Edits the answer.
  mutating func edit(_ key: TerminalKey) {
    switch question {
    case .words: editWords(key)
    case .choice(_, let answers): editChoice(key, answers.count)
    }
  }

  private mutating func editWords(_ key: TerminalKey) {
    switch key {
    case .character(let character): add(String(character))
    // Line breaks are the text's, not the end of the answer.
    case .paste(let text): add(String(text.map { $0.isWhitespace ? " " : $0 }))
    case .backspace: if !words.isEmpty { words.removeLast() }
    case .control("u"): words = ""
    default: break
    }
  }

  private mutating func add(_ text: String) {
    // Joined first: an accent belongs to the character before it.
    words = String((words + text.prefix(Self.wordLimit)).prefix(Self.wordLimit))
  }

  private mutating func editChoice(_ key: TerminalKey, _ count: Int) {
    switch key {
    case .arrow(.down), .arrow(.right), .tab, .wheel(isUp: false): choice = (choice + 1) % count
    case .arrow(.up), .arrow(.left), .wheel(isUp: true): choice = (choice + count - 1) % count
    case .character(let digit):
      guard digit.isASCII, let number = digit.wholeNumberValue, (1...count).contains(number) else {
        return
      }
      choice = number - 1
    default: break
    }
  }

  /// Accepts the answer and goes on.
  mutating func accept() -> Step {
    do throws(GardenProblem) {
      switch purpose {
      case .sprout(let twig, let isDraft): return try acceptSprout(twig, isDraft)
      case .water(let sprout):
        return .done(.water(sprout.id, note: try GardenRules.note(words)))
      case .shine(let twig): return .done(.shine(twig, note: try GardenRules.note(words)))
      case .harvest(let sprout):
        guard let result else {
          result = HarvestResult.allCases[choice]
          return .next
        }
        return .done(
          .harvest(sprout.id, result, reflection: try GardenRules.note(words)))
      case .uproot(let sprout): return choice == 1 ? .done(.uproot(sprout.id)) : .left
      case .label(let node): return .done(.label(node, try GardenRules.label(words)))
      }
    } catch {
      return .refused(error)
    }
  }

  private mutating func acceptSprout(_ twig: Twig, _ isDraft: Bool) throws(GardenProblem) -> Step {
    guard let title else {
      title = try GardenRules.title(words)
      return .next
    }
    guard let season else {
      season = Season.allCases[choice]
      choice = 0
      return .next
    }
    return .done(
      .sprout(
        title: title, on: twig, Sprout.Plan(season, Environment.allCases[choice]),
        isDraft: isDraft))
  }
}
