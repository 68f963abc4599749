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
  /// Of two columns with a fitting name the first one is taken. Names are compared without case and
  /// without what stands in brackets, such as a unit. A length or a target in another unit than one
  /// of time, such as `Goal (kg)`, is not taken; a length is if there is no end, so that reading it
  /// names it.
  public init(header: [String]) {
    var otherLength: Int?
    for (index, heading) in header.enumerated() {
      let name = Self.plain(heading)
      func take(_ column: WritableKeyPath<CSVColumns, Int?>, _ names: Set<String>) {
        if self[keyPath: column] == nil, names.contains(name) { self[keyPath: column] = index }
      }
      let isLength = Self.durationNames.contains(name) || Self.targetNames.contains(name)
      if isLength, CSVLengthUnit(columnName: heading) == nil {
        if Self.durationNames.contains(name) { otherLength = otherLength ?? index }
        continue
      }
      take(\.start, Self.startNames)
      take(\.end, Self.endNames)
      take(\.date, Self.dateNames)
      take(\.duration, Self.durationNames)
      take(\.target, Self.targetNames)
    }
    let names = header.map(Self.plain)
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
    "starttime", "startdate", "begin", "began", "from", "fast start", "fasting start",
    "fast started", "beginn", "startzeit", "von", "gestartet", "begonnen",
  ]
  private static let endNames: Set = [
    "end", "ended", "end time", "ended at", "end date", "end date time", "end at", "endtime",
    "enddate", "finish", "finished", "to", "until", "stop", "fast end", "fasting end",
    "fast ended", "ende", "endzeit", "bis", "beendet",
  ]
  private static let dateNames: Set = ["date", "day", "datum", "tag"]
  private static let durationNames: Set = [
    "duration", "hours", "length", "minutes", "seconds", "time fasted", "fasting time", "total",
    "fast duration", "fasting duration", "fasted hours", "hours fasted", "dauer", "stunden",
    "minuten", "fastendauer",
  ]
  private static let targetNames: Set = [
    "target", "goal", "plan", "goal hours", "target hours", "goal duration", "fasting goal",
    "ziel", "zielstunden", "fastenziel",
  ]

  /// Small letters, one blank between words, nothing in brackets.
  private static func plain(_ name: String) -> String {
    name.lowercased().prefix { $0 != "(" && $0 != "[" }
      .split { $0.isWhitespace || $0 == "_" || $0 == "-" || $0 == "/" }.joined(separator: " ")
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
