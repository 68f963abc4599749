// SPDX-License-Identifier: Apache-2.0
// Vigil: which words come when, for those who asked for them. Pure.

import Foundation

/// A line of Scripture, and where it is from: book and chapter, never the verse.
public struct ScriptureFragment: Hashable, Sendable {
  /// The line.
  public let text: String
  /// `Psalm 46`.
  public let citation: String

  fileprivate init(_ key: String) {
    text = Catalogue.text(key)
    citation = Catalogue.text(key + ".citation")
  }

  fileprivate init(text: String, citation: String) {
    self.text = Catalogue.text(text)
    self.citation = Catalogue.text(citation)
  }

  /// What a screen reader says for the line.
  public var spokenText: String { Word.vigilA11yScripture.text(text) }
  /// What a screen reader says for the citation.
  public var spokenCitation: String { Word.vigilA11yCitation.text(citation) }
}

/// Vigil: Scripture and quiet words at a few moments. Off unless a person turns it on, free for
/// everybody, and silent over fasts that ended early and in the calendar. Turned off, nothing of it
/// remains: everything here is asked for anew each time.
public struct Vigil: Hashable, Sendable {
  /// Whether the person turned it on.
  public let isOn: Bool

  /// Vigil, on or off.
  public init(isOn: Bool) {
    self.isOn = isOn
  }

  /// Vigil as the settings have it.
  public init(_ settings: Settings) {
    isOn = settings.vigil
  }

  /// A milestone's addition: a line that continues its text, and Scripture below.
  public struct Addition: Hashable, Sendable {
    /// Continues what the milestone says. Not Scripture.
    public let companion: String
    /// Stands below, a little later.
    public let scripture: ScriptureFragment
  }

  /// The line between fasts; the same all day, another on the next.
  public func idle(on day: LocalDay) -> ScriptureFragment? {
    isOn ? Self.idleFragment(on: day) : nil
  }

  /// The line when a fast has just begun; see `Timing.fastStart`. Not Scripture.
  public var fastStart: String? { isOn ? Self.fastStartLine : nil }

  /// What a milestone says besides, while a fast goes on.
  public func milestone(_ milestone: Milestone) -> Addition? {
    isOn ? Self.addition(to: milestone) : nil
  }

  /// The line when a fast has just been completed. None for one that ended before its target.
  ///
  /// - Parameter completed: Fasts completed so far, this one with them.
  public func arrival(of session: Session, completed: Int) -> ScriptureFragment? {
    guard isOn, TreeMapper.state(of: session) == .established else { return nil }
    return Self.arrivalFragment(fastIndex: completed)
  }

  /// The inscription at the lower edge of the forest, which does not scroll. None in an empty one.
  public func forest(_ layout: ForestLayout) -> ScriptureFragment? {
    isOn && !layout.isEmpty ? Self.forestInscription : nil
  }

  // MARK: - The library

  /// How many lines take turns between fasts.
  public static let idleCount = 10
  /// How many lines take turns at arrivals.
  public static let arrivalCount = 5

  /// The line of a day: by its number in the year, so that it changes daily and not with each look.
  public static func idleFragment(on day: LocalDay) -> ScriptureFragment {
    ScriptureFragment("vigil.idle.\((day.ofYear - 1) % idleCount)")
  }

  /// The line of an arrival: by the number of completed fasts.
  public static func arrivalFragment(fastIndex: Int) -> ScriptureFragment {
    ScriptureFragment("vigil.arrival.\(fastIndex.magnitude % UInt(arrivalCount))")
  }

  /// The line when a fast begins.
  public static var fastStartLine: String { Catalogue.text("vigil.fastStart") }

  /// The inscription of the forest.
  public static var forestInscription: ScriptureFragment {
    ScriptureFragment("vigil.forest.inscription")
  }

  /// What a milestone says besides.
  public static func addition(to milestone: Milestone) -> Addition {
    let key = "vigil.milestone.\(milestone)"
    return Addition(
      companion: Catalogue.text(key + ".companion"),
      scripture: ScriptureFragment(text: key + ".scripture", citation: key + ".citation"))
  }

  // MARK: - How it is set

  /// How its words are set. Light serif letters, in the light of the stars.
  public enum Style {
    /// Points between Scripture's letters, besides their own width.
    public static let scriptureTracking = 1.2
    /// Points between a citation's letters, besides their own width.
    public static let citationTracking = 1.6
    /// The kind of letters: unlike the rounded ones of the companion.
    public static let fontFamily = "serif"
    /// Their weight, as CSS numbers them.
    public static let fontWeight = 300
  }

  /// When its words come and go, in seconds.
  public enum Timing {
    /// The line at a fast's start: it comes in 0.6 s, begins to go after 3.1 s, and takes 0.8 s for
    /// that: about 4 seconds.
    public static let fastStartHold = 3.1
    /// How long a fragment is pressed until its citation shows.
    public static let citationPress = 0.5
    /// How long after that the citation begins to go.
    public static let citationHold = 2.0

    /// How much of the line at a fast's start shows after so many seconds, 0 to 1.
    public static func fastStart(after seconds: Double, reduceMotion: Bool = false) -> Double {
      seconds < fastStartHold
        ? Motion.scriptureFadeIn.value(after: seconds, reduceMotion: reduceMotion)
        : 1
          - Motion.scriptureFadeOut.value(
            after: seconds - fastStartHold, reduceMotion: reduceMotion)
    }

    /// How much of a citation shows so many seconds after it was asked for, 0 to 1.
    public static func citation(after seconds: Double, reduceMotion: Bool = false) -> Double {
      seconds < citationHold
        ? Motion.citationReveal.value(after: seconds, reduceMotion: reduceMotion)
        : 1
          - Motion.citationDismiss.value(
            after: seconds - citationHold, reduceMotion: reduceMotion)
    }
  }
}

extension LocalDay {
  /// Its number in the year: 1 to 366.
  public var ofYear: Int {
    let parts = parts
    let lengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30]
    let isLeap = parts.year % 4 == 0 && (parts.year % 100 != 0 || parts.year % 400 == 0)
    return lengths.prefix(parts.month - 1).reduce(0, +) + (isLeap && parts.month > 2 ? 1 : 0)
      + parts.day
  }
}
