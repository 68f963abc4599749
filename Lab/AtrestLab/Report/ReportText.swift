// SPDX-License-Identifier: Apache-2.0
// Formats a report: one line per step with its notes below, and the devices' final contents.

import AtrestDomain
import AtrestReplication
import Foundation

extension Report.Note {
  /// The note's label.
  fileprivate var label: String {
    switch self {
    case .appeared: "new"
    case .changed: "changed"
    case .deleted: "deleted"
    case .setAside: "set aside"
    case .soil: "soil"
    case .held: "held"
    case .shows: "shows"
    case .differs: "differs"
    }
  }

  /// The note's text.
  package var text: String {
    switch self {
    case .appeared(let record, let value): "\(record): \(value)"
    case .changed(let record, let before, let after, let by):
      "\(record): \(before) → \(after) (\(by))"
    case .deleted(let record, let by): "\(record) (\(by))"
    case .setAside(let record, let value, let by, let kept, let keptBy):
      "\(record): \(value) (\(by)); kept: \(kept) (\(keptBy))"
    case .soil(let before, let after): "\(before) → \(after)"
    case .held, .shows: ""
    case .differs(let line, let sentence): line > 0 ? "line \(line): \(sentence)" : sentence
    }
  }
}

extension Report.Note {
  /// The label and the text, on two lines if too long.
  fileprivate func lines(within width: Int) -> [String] {
    func line(_ label: String, _ text: String) -> String {
      label + String(repeating: " ", count: max(0, 9 - label.count)) + "  " + text
    }
    let whole = line(label, text)
    guard whole.count > width else { return [whole] }
    switch self {
    case .setAside(let record, let value, let by, let kept, let keptBy):
      return [line(label, "\(record): \(value) (\(by))"), line("  kept", "\(kept) (\(keptBy))")]
    case .changed(let record, let before, let after, let by):
      return [line(label, "\(record): \(before)"), line("  to", "\(after) (\(by))")]
    case .appeared, .deleted, .soil, .held, .shows, .differs:
      let parts = Report.wrapped(text, within: width - 11)
      return parts.enumerated().map { line($0 == 0 ? label : "", $1) }
    }
  }
}

extension Report {
  /// The most notes of one kind listed per step; more are only counted.
  private static let noteLimit = 12

  /// The intended line width in columns; long names may exceed it.
  private static let width = 96
  /// The indentation of notes in columns.
  private static let indent = 19

  /// The whole report.
  package var text: String {
    var lines = [name, file]
    lines += about.split(separator: "\n").map(String.init)
    lines.append("")
    lines += stepLines
    lines.append("")
    lines += deviceLines
    lines.append("")
    lines.append(verdict)
    return lines.joined(separator: "\n")
  }

  /// The outcome in one line.
  package var verdict: String {
    isHeld
      ? "Everything is as expected: \(checks) \(checks == 1 ? "check" : "checks")."
      : "Not as expected: \(failures.count) of \(max(checks, failures.count)) checks."
  }

  /// The failed expectations, one per line, prefixed with the file name.
  package var failureLines: [String] {
    failures.map { $0.line > 0 ? "\(file):\($0.line): \($0.sentence)" : "\(file): \($0.sentence)" }
  }

  private var stepLines: [String] {
    var lines: [String] = []
    var lastDay = ""
    let who = min(16, steps.map(\.who.count).max() ?? 0)
    for step in steps {
      let day = Self.day(step.at, zone)
      let time =
        "\(day == lastDay ? String(repeating: " ", count: 11) : Self.padded(day, 11)) "
        + TimeText.clock(step.at, in: zone)
      lastDay = day
      let head = "\(time)  \(Self.padded(step.who, who))  "
      let what = Self.wrapped(step.what, within: Self.width - head.count)
      lines.append((head + (what.first ?? "")).trimmedEnd)
      lines += what.dropFirst().map { Self.padded("", head.count) + $0 }
      for note in shown(step.notes) {
        lines.append(String(repeating: " ", count: Self.indent) + note)
      }
    }
    return lines
  }

  private func shown(_ notes: [Note]) -> [String] {
    var lines: [String] = []
    var counts: [String: Int] = [:]
    for note in notes {
      if case .held(let before, let after) = note {
        lines += listed("before", before) + listed("after", after)
        continue
      }
      if case .shows(let device, let records) = note {
        lines += listed(device, records)
        continue
      }
      counts[note.label, default: 0] += 1
      if counts[note.label, default: 0] <= Self.noteLimit || isVerbose {
        lines += note.lines(within: Self.width - Self.indent)
      }
    }
    if !isVerbose {
      for (label, count) in counts.sorted(by: { $0.key < $1.key }) where count > Self.noteLimit {
        lines.append("\(Self.padded(label, 9))  and \(count - Self.noteLimit) more")
      }
    }
    return lines
  }

  private func listed(_ label: String, _ records: [String]) -> [String] {
    let rest = records.dropFirst().map { Self.padded("", 11) + $0 }
    return ["\(Self.padded(label, 9))  \(records.first ?? "nothing")"] + rest
  }

  private var deviceLines: [String] {
    var lines: [String] = []
    // Devices with equal contents are listed together.
    var groups: [(first: Device, names: [String])] = []
    for device in devices {
      if let index = groups.firstIndex(where: { $0.first.digest == device.digest }) {
        groups[index].names.append(device.name)
      } else {
        groups.append((device, [device.name]))
      }
    }
    for (device, names) in groups {
      let all = names.count == devices.count && names.count > 1
      lines.append(
        "At the end \(all ? "all devices hold" : names.joined(separator: ", ") + (names.count > 1 ? " hold" : " holds"))"
          + " (\(device.digest)):")
      let limit = isVerbose ? Int.max : Self.noteLimit
      for record in device.records.prefix(limit) {
        let parts = Self.wrapped(record, within: Self.width - 4)
        lines += parts.enumerated().map { ($0 == 0 ? "  " : "    ") + $1 }
      }
      if device.records.isEmpty { lines.append("  nothing") }
      if device.records.count > limit {
        lines.append("  and \(device.records.count - limit) more")
      }
      lines += device.journal.prefix(limit).flatMap { note in
        note.lines(within: Self.width - 2).map { "  " + $0 }
      }
      if device.journal.count > limit {
        lines.append("  set aside  and \(device.journal.count - limit) more")
      }
    }
    for device in devices where device.waiting > 0 {
      lines.append("On \(device.name), \(LabWords.writesWait(device.waiting)) to be sent.")
    }
    return lines
  }

  /// Wraps text at spaces.
  static func wrapped(_ text: String, within width: Int) -> [String] {
    var lines: [String] = []
    for word in text.split(separator: " ", omittingEmptySubsequences: false) {
      if let last = lines.last, last.count + 1 + word.count <= max(width, 20) {
        lines[lines.count - 1] = last + " " + word
      } else {
        lines.append(String(word))
      }
    }
    return lines
  }

  private static func day(_ date: WallTime, _ zone: ZoneOffsets) -> String {
    TimeText.day(LocalDay(date, in: zone))
  }

  private static func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }
}

extension String {
  fileprivate var trimmedEnd: String {
    var copy = self
    while copy.last == " " { copy.removeLast() }
    return copy
  }
}
