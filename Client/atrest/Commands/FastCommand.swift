// SPDX-License-Identifier: Apache-2.0
// `atrest fast`: starts, completes and abandons a fast.

import ArgumentParser
import AtrestClient
import AtrestDomain
import Foundation

/// `atrest fast start|complete|abandon`.
struct FastCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fast", abstract: "Start, complete or let go of a fast.",
    subcommands: [Start.self, Complete.self, Abandon.self])

  /// `atrest fast start`.
  struct Start: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Start a fast.",
      discussion: """
        EXAMPLES:
          atrest fast start
          atrest fast start --at 20:15 --target 18h
        """)

    @Option(help: ArgumentHelp("When it began; otherwise now.", valueName: "time"))
    var at: String?
    @Option(
      help: ArgumentHelp(
        "How long it is meant to last; otherwise your usual target, or 16h.",
        valueName: "duration"))
    var target: String?
    @OptionGroup var options: ReplicaOptions
    @OptionGroup var format: FormatOptions

    func run() throws {
      let around = Surroundings.current()
      let typedStart = try around.time(at)
      let start = typedStart ?? around.now
      if typedStart != nil { try TypedRules.check(start: start, end: nil, now: around.now) }
      let typedTarget = try typedTarget(target)
      let session = try options.open().transaction { store in
        let minutes =
          try typedTarget ?? TargetPreference.minutes(store.preference(TargetPreference.key))
        let session = try Fasting(store.sessions())
          .start(id: UUID(), at: start, targetMinutes: minutes)
        try store.save(session)
        return session
      }
      try format.answer(
        SessionRow(session, now: around.now),
        "Fasting since \(around.words(session.span.start)), with a target of "
          + "\(DurationText.text(minutes: session.targetMinutes)). "
          + "`atrest fast complete` ends it whenever you like.")
    }
  }

  /// `atrest fast complete`.
  struct Complete: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Complete the fast that is going on.",
      discussion: """
        EXAMPLES:
          atrest fast complete
          atrest fast complete --at 12:30
        """)

    @Option(help: ArgumentHelp("When it ended; otherwise now.", valueName: "time"))
    var at: String?
    @OptionGroup var options: ReplicaOptions
    @OptionGroup var format: FormatOptions

    func run() throws {
      try FastCommand.end(options, format, at: at) { fasting, end in
        let session = try fasting.complete(at: end)
        try TypedRules.check(lengthOf: session)
        return session
      }
    }
  }

  /// `atrest fast abandon`.
  struct Abandon: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Let the fast that is going on go. It is not counted.",
      discussion: """
        EXAMPLES:
          atrest fast abandon
          atrest fast abandon --at "2h ago"
        """)

    @Option(help: ArgumentHelp("When it ended; otherwise now.", valueName: "time"))
    var at: String?
    @OptionGroup var options: ReplicaOptions
    @OptionGroup var format: FormatOptions

    func run() throws {
      try FastCommand.end(options, format, at: at) { fasting, end in
        try fasting.abandon(at: end)
      }
    }
  }

  /// What completing and abandoning share.
  private static func end(
    _ options: ReplicaOptions, _ format: FormatOptions, at typed: String?,
    _ step: (Fasting, Date) throws -> Session
  ) throws {
    let around = Surroundings.current()
    let typedEnd = try around.time(typed)
    if let typedEnd { try TypedRules.check(time: typedEnd, now: around.now) }
    let (session, stillOpen) = try options.open().transaction { store in
      let fasting = Fasting(try store.sessions())
      // The clock may clamp to the start; a person who types an end before it made a mistake.
      if let typedEnd, let active = fasting.active, typedEnd < active.span.start {
        throw InputProblem.endBeforeStart
      }
      let session = try step(fasting, typedEnd ?? around.now)
      try store.save(session)
      return (session, fasting.otherOpen)
    }
    var words = SessionWords.ended(session, around)
    if let next = stillOpen.first {
      words += "\nAnother fast is still open, since \(around.words(next.span.start)). "
      words += "`atrest status` shows it."
    }
    try format.answer(SessionRow(session, now: around.now), words)
  }
}
