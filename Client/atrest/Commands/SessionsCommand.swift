// SPDX-License-Identifier: Apache-2.0
// `atrest sessions`: lists, adds, edits and deletes fasts.

import ArgumentParser
import AtrestClient
import AtrestCommandLine
import AtrestCompanion
import AtrestDomain
import AtrestReplication
import AtrestWire
import Foundation

/// `atrest sessions list|show|add|edit|delete`.
struct SessionsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sessions", abstract: "Look at fasts, add and correct them, take them away.",
    subcommands: [List.self, Show.self, Add.self, Edit.self, Delete.self],
    defaultSubcommand: List.self)

  /// Finds the fast with an id prefix.
  static func find(
    _ typed: String, in sessions: [Session], _ context: CommandContext
  ) throws(IDProblem) -> Session {
    try ShortID.find(
      typed, in: sessions, noun: "fast", id: { ShortID.hex($0.id) },
      describe: { AtrestVocabulary.words($0.span, context) })
  }

  /// Shows a fast that was written, and asks about those that share time with it.
  private static func answer(
    _ title: String, _ session: Session, _ overlap: OverlapQuestion?, in replica: Replica,
    _ format: FormatOptions, _ context: CommandContext
  ) throws {
    let asks = !format.isJSON && Terminal.canAsk
    let lines = [title, SessionWords.detail(session, context), asks ? nil : overlap?.words]
    try format.answer(
      SessionRow(session, now: context.now), lines.compactMap(\.self).joined(separator: "\n"))
    if asks { try overlap?.ask(in: replica) }
  }

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "List fasts, latest first.",
      discussion: """
        Shows the fasts that are open and the completed ones of 4 hours and more.

        EXAMPLES:
          atrest sessions list --limit 10
          atrest sessions list --all --json
        """)

    @Flag(help: "Also those under 4 hours, and those you let go.")
    var all = false
    @Option(help: ArgumentHelp("At most so many.", valueName: "count"))
    var limit: Int?
    @OptionGroup var options: ReplicaOptions
    @OptionGroup var format: FormatOptions

    func validate() throws {
      if let limit, limit < 1 { throw ValidationError("`--limit` needs a number of at least 1.") }
    }

    func run() throws {
      let context = CommandContext.current()
      let sessions = try options.openExisting()?.sessions() ?? []
      let shown = sessions.filter { all || $0.isInHistory || $0.span.outcome == .active }
      let page = Array(shown.prefix(limit ?? shown.count))
      try format.answer(
        page.map { SessionRow($0, now: context.now) },
        words(page, shown: shown.count, of: sessions, context))
    }

    private func words(
      _ page: [Session], shown: Int, of sessions: [Session], _ context: CommandContext
    ) -> String {
      var lines: [String] = []
      if sessions.isEmpty {
        lines.append(
          Language.text(
            "No fasts here. `atrest fast start` begins one when you're ready.",
            de: "Hier ist noch kein Fasten. `atrest fast start` beginnt, wenn du so weit bist."))
      } else if !page.isEmpty {
        let ids = ShortID.shortened(sessions.map { ShortID.hex($0.id) })
        lines.append(SessionWords.list(page, ids: ids, context).text(Terminal.style))
      }
      let hidden = sessions.count - shown
      if hidden > 0 {
        let note = Language.text(
          "\(hidden == 1 ? "1 fast" : "\(hidden) fasts") under 4 hours or let go: `--all` shows them too.",
          de: "\(hidden) unter 4 Stunden oder losgelassen: `--all` zeigt auch das.")
        lines.append(Terminal.style.quiet(note))
      }
      let ids = ShortID.shortened(sessions.map { ShortID.hex($0.id) })
      lines += SessionWords.overlaps(Overlap.all(in: page), ids: ids)
      return lines.joined(separator: "\n")
    }
  }

  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "show", abstract: "Show one fast.",
      discussion: """
        EXAMPLES:
          atrest sessions show 3f2a
        """)

    @Argument(help: "The beginning of its id.") var id: String
    @OptionGroup var options: ReplicaOptions
    @OptionGroup var format: FormatOptions

    func run() throws {
      let context = CommandContext.current()
      let session = try SessionsCommand.find(
        id, in: options.openExisting()?.sessions() ?? [], context)
      try format.answer(
        SessionRow(session, now: context.now), SessionWords.detail(session, context))
    }
  }

  struct Add: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "add", abstract: "Note a fast that is over.",
      discussion: """
        For one that was not noted at the time. Another may be going on now.

        EXAMPLES:
          atrest sessions add --start "yesterday 20:15" --end 12:30
          atrest sessions add --start "2026-11-20 20:00" --end "2026-11-21 14:00" --target 18h
        """)

    @Option(help: ArgumentHelp("When it began.", valueName: "time")) var start: String
    @Option(help: ArgumentHelp("When it ended.", valueName: "time")) var end: String
    @Option(
      help: ArgumentHelp(
        "How long it was meant to last; otherwise your usual target, or 16h.",
        valueName: "duration"))
    var target: String?
    @OptionGroup var options: ReplicaOptions
    @OptionGroup var format: FormatOptions

    func run() throws {
      let context = CommandContext.current()
      let start = try context.typedTime(start)
      let end = Typed.end(try context.typedTime(end), ofFastFrom: start)
      let target = try typedTarget(target)
      // Invalid input must not create a replica.
      try TypedRules.check(start: start, end: end, now: context.now)
      guard let span = Session.Span(start: start, end: end, outcome: .completed) else {
        throw InputProblem.endBeforeStart
      }
      let replica = try options.open()
      let (session, overlap) = try replica.transaction { store in
        let usual = try Choices(store).settings.targetMinutes
        let session = Session(
          id: RecordUUID.random(), span: span, targetMinutes: target ?? usual)
        try store.action(.addFast) { try store.save(session) }
        return (session, try OverlapQuestion(of: session, in: store, context))
      }
      try SessionsCommand.answer(
        Language.text("Noted.", de: "Notiert."), session, overlap, in: replica, format, context)
    }
  }

  struct Edit: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "edit", abstract: "Correct a fast.",
      discussion: """
        `--end` completes a fast that is still open; `--outcome active` lets one that was \
        ended by mistake go on, if no other does.

        EXAMPLES:
          atrest sessions edit 3f2a --start "yesterday 20:15"
          atrest sessions edit 3f2a --end 12:30 --outcome completed
        """)

    @Argument(help: "The beginning of its id.") var id: String
    @Option(help: ArgumentHelp("When it began.", valueName: "time")) var start: String?
    @Option(help: ArgumentHelp("When it ended.", valueName: "time")) var end: String?
    @Option(help: ArgumentHelp("How long it was meant to last.", valueName: "duration"))
    var target: String?
    @Option(
      help: "How it ended: completed or abandoned; or active.",
      completion: .list(["completed", "abandoned", "active"]))
    var outcome: String?
    @OptionGroup var options: ReplicaOptions
    @OptionGroup var format: FormatOptions

    func validate() throws {
      if start == nil, end == nil, target == nil, outcome == nil {
        throw ValidationError("Say what to correct: `--start`, `--end`, `--target` or `--outcome`.")
      }
      if let outcome, Session.Outcome(word: outcome) == nil {
        throw ValidationError("An outcome is `completed`, `abandoned` or `active`.")
      }
    }

    func run() throws {
      let context = CommandContext.current()
      let start = try context.time(start)
      let end = try context.time(end)
      let target = try typedTarget(target)
      guard let replica = try options.openExisting() else {
        throw IDProblem.unknown(noun: "fast")
      }
      let (session, overlap) = try replica.transaction { store in
        let stored = try SessionsCommand.find(id, in: store.sessions(), context)
        let session = try stored.edited(
          start: start, end: end.map { Typed.end($0, ofFastFrom: start ?? stored.span.start) },
          outcome: outcome.flatMap(Session.Outcome.init(word:)),
          targetMinutes: target, now: context.now)
        // Only one fast may be active.
        if session.span.outcome == .active, stored.span.outcome != .active,
          try !store.openSessions().isEmpty
        {
          throw FastingRefusal.alreadyActive
        }
        try store.action(.editFast) { try store.save(session) }
        return (session, try OverlapQuestion(of: session, in: store, context))
      }
      try SessionsCommand.answer(
        Language.text("Corrected.", de: "Berichtigt."), session, overlap, in: replica, format,
        context)
    }
  }

  struct Delete: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "delete", abstract: "Take a fast away, on every device.",
      discussion: """
        EXAMPLES:
          atrest sessions delete 3f2a
        """)

    @Argument(help: "The beginning of its id.") var id: String
    @OptionGroup var options: ReplicaOptions
    @OptionGroup var format: FormatOptions

    func run() throws {
      let context = CommandContext.current()
      guard let replica = try options.openExisting() else {
        throw IDProblem.unknown(noun: "fast")
      }
      let session = try replica.transaction { store in
        let session = try SessionsCommand.find(id, in: store.sessions(), context)
        try store.action(.deleteFast) {
          _ = try store.delete(RecordKey(kind: .session, id: session.id.bytes))
        }
        return session
      }
      try format.answer(
        SessionRow(session, now: context.now),
        Language.text(
          "Deleted the fast: \(AtrestVocabulary.words(session.span, context)).",
          de: "Das Fasten ist gelöscht: \(AtrestVocabulary.words(session.span, context))."))
    }
  }
}
