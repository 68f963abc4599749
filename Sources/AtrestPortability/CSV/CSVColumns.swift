// SPDX-License-Identifier: Apache-2.0
// Says which column of a file holds which part of a fast. Pure.

/// The columns of a history, by index from 0. What is nil is not in the file.
public struct CSVColumns: Hashable, Sendable {
  /// When a fast began: a date with a clock time, or a clock time beside `date`.
  public var start: Int?
  /// When it ended: a date with a clock time, or a clock time.
  public var end: Int?
  /// The date on which it began, if `start` has only a clock time.
  public var date: Int?
  /// The date on which it ended, if `end` has only a clock time and the file has one.
  public var endDate: Int?
  /// How long it took.
  public var duration: Int?
  /// How long it was meant to take.
  public var target: Int?

  /// No columns.
  public init() {}

  /// Finds columns by names that apps give them, in English or German.
  ///
  /// Of two columns with a fitting name the first one is taken. Names are compared word by word,
  /// without case and without text in brackets, and those of lengths without their unit. A
  /// length or a target in another unit than one of time, such as `Goal (kg)`, is not taken; a
  /// length is if there is no end, so that reading it names it.
  public init(header: [String]) {
    var otherLength: Int?
    for (index, heading) in header.enumerated() {
      let words = Self.words(of: heading)
      let name = words.joined(separator: " ")
      func take(_ column: WritableKeyPath<CSVColumns, Int?>, _ isNamed: Bool) {
        if self[keyPath: column] == nil, isNamed { self[keyPath: column] = index }
      }
      let withoutUnit = CSVLengthUnit.without(words).joined(separator: " ")
      func isLength(_ names: Set<String>) -> Bool {
        names.contains(name) || names.contains(withoutUnit)
      }
      let (isDuration, isTarget) = (isLength(Self.durationNames), isLength(Self.targetNames))
      if isDuration || isTarget, CSVLengthUnit(columnName: heading) == nil {
        if isDuration { otherLength = otherLength ?? index }
        continue
      }
      take(\.start, Self.startNames.contains(name))
      take(\.end, Self.endNames.contains(name))
      take(\.date, Self.dateNames.contains(name))
      take(\.duration, isDuration)
      take(\.target, isTarget)
    }
    let names = header.map { Self.words(of: $0).joined(separator: " ") }
    if let split = Self.split(names, "start", "beginn") {
      (date, start) = (split.date, split.time)
    }
    if let split = Self.split(names, "end", "ende") { (endDate, end) = (split.date, split.time) }
    if end == nil, duration == nil { duration = otherLength }
  }

  /// Two columns of one moment, such as `Start Date` and `Start Time`.
  private static func split(_ names: [String], _ words: String...) -> (date: Int, time: Int)? {
    for word in words {
      let date = names.firstIndex { $0 == "\(word) date" || $0 == "\(word)datum" }
      let time = names.firstIndex {
        $0 == "\(word) time" || $0 == "\(word)zeit" || $0 == "\(word)uhrzeit"
      }
      if let date, let time { return (date, time) }
    }
    return nil
  }

  private static let startNames: Set = [
    "start", "started", "start time", "started at", "start date", "start date time", "start at",
    "starttime", "startdate", "start dtm", "begin", "began", "from", "fast start", "fasting start",
    "fast started", "beginn", "startzeit", "von", "gestartet", "begonnen",
  ]
  private static let endNames: Set = [
    "end", "ended", "end time", "ended at", "end date", "end date time", "end at", "endtime",
    "enddate", "end dtm", "finish", "finished", "finished at", "to", "until", "stop", "fast end",
    "fasting end",
    "fast ended", "ende", "endzeit", "bis", "beendet",
  ]
  private static let dateNames: Set = ["date", "day", "datum", "tag"]
  private static let durationNames: Set = [
    "duration", "hours", "length", "minutes", "seconds", "time fasted", "fasting time", "total",
    "fast duration", "fasting duration", "fasted hours", "hours fasted", "dauer", "stunden",
    "minuten", "fastendauer",
  ]
  private static let targetNames: Set = [
    "target", "goal", "plan", "goal duration", "target duration", "target interval",
    "fasting goal", "ziel", "zielstunden", "fastenziel",
  ]

  /// The words of a column's name in lower case, without text in brackets: `start` and
  /// `time` of `Start_Time`, `startTime` and `Start time (UTC)`.
  static func words(of name: String) -> [String] {
    var words: [String] = []
    var last: Character = " "
    for character in name.prefix(while: { $0 != "(" && $0 != "[" }) {
      defer { last = character }
      guard character.isLetter || character.isNumber else { continue }
      let isInside = last.isLetter || last.isNumber
      if isInside, !(last.isLowercase && character.isUppercase), !words.isEmpty {
        words[words.count - 1] += character.lowercased()
      } else {
        words.append(character.lowercased())
      }
    }
    return words
  }

  /// Whether a column has a clock time alone, as its date is in another one.
  func hasClock(at column: Int) -> Bool {
    if column == start { return date != nil }
    return column == end && (endDate ?? date) != nil
  }

  /// The index of a column that a person named: its name in the header, or its number from 1.
  ///
  /// - Throws: `CSVProblem.unknownColumn`.
  public static func index(
    of typed: String, in header: [String]
  ) throws(CSVProblem) -> Int {
    let wanted = typed.lowercased()
    if let index = header.firstIndex(where: { $0.lowercased() == wanted }) { return index }
    if let number = Int(typed), header.indices.contains(number - 1) { return number - 1 }
    throw .unknownColumn(typed)
  }
}
