// SPDX-License-Identifier: Apache-2.0
// Vigil: selects the Scripture and text for each moment. Pure.

/// A line of Scripture with its source: book and chapter, never the verse.
public struct ScriptureFragment: Hashable, Sendable {
  /// The line.
  public let text: String
  /// The source, such as `Psalm 46`.
  public let citation: String

  fileprivate init(_ key: String) {
    text = Catalogue.text(key)
    citation = Catalogue.text(key + ".citation")
  }

  fileprivate init(text: String, citation: String) {
    self.text = Catalogue.text(text)
    self.citation = Catalogue.text(citation)
  }

  /// The screen reader's text for the line.
  public var spokenText: String { Word.vigilA11yScripture.text(text) }
  /// The screen reader's text for the citation.
  public var spokenCitation: String { Word.vigilA11yCitation.text(citation) }
}

/// Vigil: Scripture and quiet text at a few moments. Off by default, free for everybody, and absent
/// for fasts that ended early and in the calendar. Stateless, so nothing remains after it is turned
/// off.
public struct Vigil: Hashable, Sendable {
  /// Whether the person turned it on.
  public let isOn: Bool

  /// Creates Vigil, on or off.
  public init(isOn: Bool) {
    self.isOn = isOn
  }

  /// Creates Vigil from the settings.
  public init(_ settings: Settings) {
    isOn = settings.vigil
  }

  /// A milestone's addition: a line that continues its text, and Scripture below it.
  public struct Addition: Hashable, Sendable {
    /// Continues the milestone's text. Not Scripture.
    public let companion: String
    /// Appears below, a little later.
    public let scripture: ScriptureFragment
  }

  /// The line between fasts. It changes once a day.
  public func idle(on day: LocalDay) -> ScriptureFragment? {
    isOn ? Self.idleFragment(on: day) : nil
  }

  /// The line at the start of a fast; see `Timing.fastStart`. Not Scripture.
  public var fastStart: String? { isOn ? Self.fastStartLine : nil }

  /// The addition to a milestone during a fast.
  public func milestone(_ milestone: Milestone) -> Addition? {
    isOn ? Self.addition(to: milestone) : nil
  }

  /// The line at the completion of a fast; nil if it ended before its target.
  ///
  /// - Parameter completed: The number of completed fasts, this one included.
  public func arrival(of session: Session, completed: Int) -> ScriptureFragment? {
    guard isOn, TreeMapper.state(of: session) == .established else { return nil }
    return Self.arrivalFragment(fastIndex: completed)
  }

  /// The inscription at the lower edge of the forest, which does not scroll; nil in an empty
  /// forest.
  public func forest(_ layout: ForestLayout) -> ScriptureFragment? {
    isOn && !layout.isEmpty ? Self.forestInscription : nil
  }

  // MARK: - The library

  /// The number of lines in rotation between fasts.
  public static let idleCount = 10
  /// The number of lines in rotation at arrivals.
  public static let arrivalCount = 5

  /// The line of a day, selected by the day of the year.
  public static func idleFragment(on day: LocalDay) -> ScriptureFragment {
    ScriptureFragment("vigil.idle.\((day.ofYear - 1) % idleCount)")
  }

  /// The line of an arrival, selected by the number of completed fasts.
  public static func arrivalFragment(fastIndex: Int) -> ScriptureFragment {
    ScriptureFragment("vigil.arrival.\(fastIndex.magnitude % UInt(arrivalCount))")
  }

  /// The line at the start of a fast.
  public static var fastStartLine: String { Catalogue.text("vigil.fastStart") }

  /// The line at the lower edge of the forest, always the same.
  public static var forestInscription: ScriptureFragment {
    ScriptureFragment("vigil.forest.inscription")
  }

  /// The addition to a milestone.
  public static func addition(to milestone: Milestone) -> Addition {
    let key = "vigil.milestone.\(milestone.catalogueKey)"
    return Addition(
      companion: Catalogue.text(key + ".companion"),
      scripture: ScriptureFragment(text: key + ".scripture", citation: key + ".citation"))
  }

  // MARK: - Typography and timing

  /// Typography: a light serif in the colour of the stars.
  public enum Style {
    /// The extra letter spacing of Scripture in points.
    public static let scriptureTracking = 1.2
    /// The extra letter spacing of citations in points.
    public static let citationTracking = 1.6
    /// The font family, unlike the rounded one of the companion.
    public static let fontFamily = "serif"
    /// The CSS font weight.
    public static let fontWeight = 300
  }

  /// Fade timing in seconds.
  public enum Timing {
    /// When the line at a fast's start begins to fade out. It fades in over 0.6 s and out over 0.8
    /// s, about 4 s in total.
    public static let fastStartHold = 3.1
    /// How long a fragment must be pressed to show its citation.
    public static let citationPress = 0.5
    /// How long the citation stays before it fades out.
    public static let citationHold = 2.0

    /// The opacity of the line at a fast's start after a number of seconds, 0 to 1.
    public static func fastStart(after seconds: Double, reduceMotion: Bool = false) -> Double {
      seconds < fastStartHold
        ? Motion.scriptureFadeIn.value(after: seconds, reduceMotion: reduceMotion)
        : 1
          - Motion.scriptureFadeOut.value(
            after: seconds - fastStartHold, reduceMotion: reduceMotion)
    }

    /// The opacity of a citation a number of seconds after the request, 0 to 1.
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
  /// The day of the year, 1 to 366.
  public var ofYear: Int {
    let parts = parts
    let lengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30]
    let isLeap = parts.year % 4 == 0 && (parts.year % 100 != 0 || parts.year % 400 == 0)
    return lengths.prefix(parts.month - 1).reduce(0, +) + (isLeap && parts.month > 2 ? 1 : 0)
      + parts.day
  }
}
