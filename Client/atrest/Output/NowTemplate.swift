// SPDX-License-Identifier: Apache-2.0
// A person's own line for a prompt or a status bar: text with fields in braces. Pure.

import AtrestCommandLine
import AtrestCompanion
import AtrestDomain
import Foundation

/// A template such as `{elapsed} of {target}`. Two braces make one.
struct NowTemplate: Hashable {
  /// A field, by the name between the braces.
  enum Field: String, CaseIterable {
    /// `fasting` or `idle`. For comparisons, so it is the same in every language.
    case state
    /// How long the fast has lasted, such as `15h 7m`.
    case elapsed
    /// The whole hours of it.
    case hours
    /// The minutes beside the hours, two digits.
    case minutes
    /// When the fast began, such as `today 22:30`.
    case since
    /// The fast's target, such as `16h`.
    case target
    /// The name of the milestone.
    case milestone
    /// Today's water with its unit.
    case water
    /// The number of changes that wait for a sync.
    case waiting
  }

  private enum Part: Hashable {
    case text(String)
    case field(Field)
  }

  private let parts: [Part]

  /// The longest template in bytes.
  static let limitBytes = 1000

  /// Parses a template.
  ///
  /// - Throws: A sentence for a field that does not exist, a brace without its counterpart, more
  ///   than one line, and what is too long.
  init(_ typed: String) throws(CommandFailure) {
    guard typed.utf8.count <= Self.limitBytes, !typed.contains(where: \.isNewline) else {
      throw CommandFailure("A format is one line of at most \(Self.limitBytes) bytes.", .usage)
    }
    var parts: [Part] = []
    var text = ""
    var rest = typed[...]
    while let character = rest.popFirst() {
      switch character {
      case "{" where rest.first == "{", "}" where rest.first == "}":
        text.append(rest.removeFirst())
      case "{":
        guard let end = rest.firstIndex(of: "}") else { throw Self.unpaired }
        let name = String(rest[..<end])
        guard let field = Field(rawValue: name) else { throw Self.unknown(name) }
        parts += [.text(text), .field(field)]
        text = ""
        rest = rest[end...].dropFirst()
      case "}": throw Self.unpaired
      default: text.append(character)
      }
    }
    self.parts = parts + [.text(text)]
  }

  private static let unpaired = CommandFailure(
    "A brace of the format has no counterpart. Fields look like `{elapsed}`; two braces make one.",
    .usage)

  private static func unknown(_ name: String) -> CommandFailure {
    let names = Field.allCases.map(\.rawValue).joined(separator: ", ")
    return CommandFailure(
      "There is no field {\(name.escapedForTerminal)}. There are: \(names).", .usage)
  }

  /// The line for a state. Between fasts what belongs to a fast is empty.
  func text(_ snapshot: Snapshot, _ context: CommandContext) -> String {
    parts.map { part in
      switch part {
      case .text(let text): text
      case .field(let field): Self.value(field, snapshot, context)
      }
    }.joined()
  }

  private static func value(
    _ field: Field, _ snapshot: Snapshot, _ context: CommandContext
  ) -> String {
    let session = snapshot.active
    let elapsed = session.map { max(0, $0.elapsedMilliseconds(at: context.now)) }
    let minutes = elapsed.map(DurationText.wholeMinutes)
    return switch field {
    case .state: session == nil ? "idle" : "fasting"
    case .elapsed: elapsed.map(ElapsedText.text) ?? ""
    case .hours: minutes.map { String($0 / 60) } ?? ""
    case .minutes: minutes.map { ($0 % 60 < 10 ? "0" : "") + String($0 % 60) } ?? ""
    case .since: session.map { context.words($0.span.start) } ?? ""
    case .target: session.map { DurationText.text(minutes: $0.targetMinutes) } ?? ""
    case .milestone: elapsed.flatMap { Milestone(elapsedMilliseconds: $0) }?.name ?? ""
    case .water: context.amount(snapshot.waterToday(context))
    case .waiting: String(snapshot.waiting)
    }
  }
}
