// SPDX-License-Identifier: Apache-2.0
// Output of `atrest statistics`.

import AtrestCommandLine
import AtrestCompanion
import AtrestDomain
import AtrestReplication
import Foundation

/// The statistics, for `--json`.
struct StatisticsRow: Encodable, Equatable {
  /// The sum of some fasts.
  struct Sum: Encodable, Equatable {
    var fasts: Int
    var minutes: Int
    var longestMinutes: Int?
    var longestID: String?

    init(_ sum: FastStatistics.Sum) {
      fasts = sum.count
      minutes = DurationText.wholeMinutes(milliseconds: sum.milliseconds)
      longestMinutes = sum.longest.map {
        DurationText.wholeMinutes(milliseconds: $0.durationMilliseconds)
      }
      longestID = sum.longest?.id.uuidString.lowercased()
    }

    private enum CodingKeys: String, CodingKey {
      case fasts, minutes, longestMinutes
      case longestID = "longestId"
    }
  }

  /// The sum of a month.
  struct Month: Encodable, Equatable {
    var month: String
    var sum: Sum
  }

  /// The sum of a target.
  struct Target: Encodable, Equatable {
    var targetMinutes: Int
    var sum: Sum
  }

  var all: Sum
  var months: [Month]
  var targets: [Target]

  init(_ statistics: FastStatistics, months limit: Int) {
    all = Sum(statistics.all)
    months = statistics.months.prefix(limit).map { Month(month: $0.month.iso, sum: Sum($0.sum)) }
    targets = statistics.targets.map { Target(targetMinutes: $0.minutes, sum: Sum($0.sum)) }
  }
}

/// The statistics as text.
enum StatisticsView {
  /// - Parameters:
  ///   - months: The most months shown.
  ///   - columns: The terminal's; nil for any number.
  static func text(
    _ statistics: FastStatistics, months limit: Int, _ context: CommandContext, _ style: Style,
    _ columns: Int?
  ) -> String {
    guard let longest = statistics.all.longest else { return Word.calendarEmpty.text }
    let sum = statistics.all
    let heading = Word.statisticsAll.text(
      count(sum.count), DurationText.text(milliseconds: sum.milliseconds))
    let longestText = Word.statisticsLongest.text(
      DurationText.text(milliseconds: longest.durationMilliseconds), context.words(longest.date))
    var blocks = [
      "\(style.strong(heading))\n\(longestText)",
      table(
        .statisticsMonth,
        statistics.months.prefix(limit).map { ($0.month.title, $0.sum) }
      ).text(style, columns: columns),
    ]
    let hidden = statistics.months.count - limit
    if hidden > 0 {
      blocks[1] +=
        "\n" + style.quiet(Word.statisticsMore.text(String(hidden), String(limit + hidden)))
    }
    blocks.append(
      table(
        .statisticsTarget,
        statistics.targets.map { (DurationText.text(minutes: $0.minutes), $0.sum) }
      ).text(style, columns: columns))
    return blocks.joined(separator: "\n\n")
  }

  private static func count(_ fasts: Int) -> String {
    fasts == 1 ? Word.statisticsFast.text : Word.statisticsFasts.text(String(fasts))
  }

  private static func table(
    _ heading: Word, _ rows: some Sequence<(String, FastStatistics.Sum)>
  ) -> Table {
    let headings = [heading, .statisticsCount, .statisticsSum, .statisticsLongestOf]
    return Table(
      headings.map { $0.text.uppercased() },
      rows: rows.map { name, sum in
        [
          name, String(sum.count), DurationText.text(milliseconds: sum.milliseconds),
          DurationText.text(milliseconds: sum.longest?.durationMilliseconds ?? 0),
        ]
      })
  }
}
