// SPDX-License-Identifier: Apache-2.0
// `atrest fast`: starts, completes and abandons a fast.

import ArgumentParser
import AtrestClient
import AtrestCommandLine
import AtrestCompanion
import AtrestDomain
import AtrestFoundation
import AtrestReplication
import Foundation

/// `atrest fast start|complete|abandon`.
struct FastCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fast", abstract: "Start, complete or let go of a fast.",
    discussion: """
      EXAMPLES:
        atrest fast start
        atrest fast complete
        atrest fast abandon
      """,
    subcommands: [Start.self, Complete.self, Abandon.self, NowCommand.self],
    defaultSubcommand: NowCommand.self)

  struct Start: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "start", abstract: "Start a fast.",
      discussion: """
        The target is captured now: a later change of the setting does not reach this fast.

        EXAMPLES:
          atrest fast start
          atrest fast start 16h
          atrest fast start --at 20:15 --target 18h
        """, aliases: ["begin"])

    @Argument(help: ArgumentHelp("The target, like `--target`.", valueName: "duration"))
    var duration: String?
    @Option(help: ArgumentHelp("When it began; otherwise now.", valueName: "time"))
    var at: String?
    @Option(
      help: ArgumentHelp(
        "How long it is meant to last; otherwise your usual target, or 16h.",
        valueName: "duration"))
    var target: String?
    @OptionGroup var options: ReplicaOptions
    @OptionGroup var format: FormatOptions

    func validate() throws {
      if duration != nil, target != nil { throw ValidationError("Say the target once.") }
    }

    func run() throws {
      let context = CommandContext.current()
      let typedStart = try context.time(at)
      let start = typedStart ?? context.now
      if typedStart != nil {
        do {
          try TypedRules.check(start: start, end: nil, now: context.now)
        } catch .fastTooLong {
          // The usual sentence also asks for an end, which this command does not take.
          throw CommandFailure(
            Language.text(
              "That was more than 14 days ago. Give a later start.",
              de: "Das ist mehr als 14 Tage her. Gib einen späteren Beginn an."))
        }
      }
      let typedTarget = try typedTarget(duration ?? target)
      let (session, settings) = try options.open().transaction { store in
        let settings = try Choices(store).settings
        let session = try store.begin(
          at: start, targetMinutes: typedTarget ?? settings.targetMinutes)
        return (session, settings)
      }
      let (since, target) = (
        context.words(session.span.start), DurationText.text(minutes: session.targetMinutes)
      )
      var words = Language.text(
        "Fasting since \(since), with a target of \(target). "
          + "`atrest fast complete` ends it whenever you like.",
        de: "Du fastest seit \(since), mit einem Ziel von \(target). "
          + "`atrest fast complete` beendet es, wann immer du magst.")
      if let line = Vigil(settings).fastStart {
        words += "\n" + Terminal.colourStyle.scripture(line)
      }
      try format.answer(SessionRow(session, now: context.now), words)
    }
  }

  struct Complete: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "complete", abstract: "Complete the fast that is going on.",
      discussion: """
        EXAMPLES:
          atrest fast complete
          atrest fast complete --at 12:30
        """, aliases: ["end"])

    @Option(help: ArgumentHelp("When it ended; otherwise now.", valueName: "time"))
    var at: String?
    @OptionGroup var options: ReplicaOptions
    @OptionGroup var format: FormatOptions

    func run() throws {
      try FastCommand.end(options, format, at: at, as: .completed)
    }
  }

  struct Abandon: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "abandon", abstract: "Let the fast that is going on go. It is not counted.",
      discussion: """
        EXAMPLES:
          atrest fast abandon
          atrest fast abandon --at "2h ago"
        """, aliases: ["let-go"])

    @Option(help: ArgumentHelp("When it ended; otherwise now.", valueName: "time"))
    var at: String?
    @OptionGroup var options: ReplicaOptions
    @OptionGroup var format: FormatOptions

    func run() throws {
      try FastCommand.end(options, format, at: at, as: .abandoned)
    }
  }

  /// The shared part of completing and abandoning.
  private static func end(
    _ options: ReplicaOptions, _ format: FormatOptions, at typed: String?,
    as outcome: Session.Outcome
  ) throws {
    let context = CommandContext.current()
    let typedEnd = try context.time(typed)
    if let typedEnd { try TypedRules.check(time: typedEnd, now: context.now) }
    // Does not create a replica: without one there is nothing to end.
    guard let replica = try options.openExisting() else { throw FastingRefusal.nothingActive }
    let (session, stillOpen, overlap) = try replica.transaction { store in
      var end = context.now
      if let typedEnd, let active = Fasting(try store.openSessions()).active {
        end = Typed.end(typedEnd, ofFastFrom: active.span.start)
        // A clock reading may be clamped to the start. A typed end before the start is a mistake.
        guard end >= active.span.start else { throw InputProblem.endBeforeStart }
      }
      let (session, stillOpen) = try store.finish(at: end, as: outcome)
      return (session, stillOpen, try OverlapQuestion(of: session, in: store, context))
    }
    let snapshot = try Snapshot(replica, context)
    var words = ArrivalView.text(of: session, snapshot, context, isRead: Terminal.isRead)
    let asks = !format.isJSON && Terminal.canAsk
    if !asks, let overlap = overlap?.words { words += "\n" + overlap }
    if let next = stillOpen.first {
      words +=
        "\n\(SessionWords.stillOpen(next, context)) "
        + Language.text("`atrest status` shows it.", de: "`atrest status` zeigt es.")
    }
    try format.answer(SessionRow(session, now: context.now), words)
    if asks { try overlap?.ask(in: replica) }
    if !format.isJSON { try TransitionView.showOnce(snapshot, in: replica) }
  }
}

extension ReplicaTransaction {
  /// Starts a fast as an undoable action.
  func begin(at start: WallTime, targetMinutes: Int) throws -> Session {
    try action(.begin) {
      let session = try Fasting(openSessions())
        .start(id: RecordUUID.random(), at: start, targetMinutes: targetMinutes)
      try save(session)
      return session
    }
  }

  /// Ends the active fast as an undoable action.
  ///
  /// - Returns: The ended fast, and those still open.
  func finish(
    at end: WallTime, as outcome: Session.Outcome
  ) throws -> (session: Session, stillOpen: [Session]) {
    try action(outcome == .completed ? .end : .abandon) {
      let fasting = Fasting(try openSessions())
      let session: Session
      if outcome == .completed {
        session = try fasting.complete(at: end)
        try TypedRules.check(lengthOf: session)
      } else {
        session = try fasting.abandon(at: end)
      }
      try save(session)
      return (session, fasting.otherOpen)
    }
  }

  /// Records a drink as an undoable action.
  func note(_ entry: WaterEntry) throws {
    try action(.water) { try save(entry) }
  }
}
