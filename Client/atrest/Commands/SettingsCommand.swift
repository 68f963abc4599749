// SPDX-License-Identifier: Apache-2.0
// `atrest settings`: the person's settings, synced to all of their devices.

import ArgumentParser
import AtrestClient
import AtrestCommandLine
import AtrestCompanion
import AtrestDomain
import Foundation

/// `atrest settings [list | get NAME | set NAME VALUE]`.
struct SettingsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "settings", abstract: "Look at your choices, and change them, on every device.",
    discussion: """
      EXAMPLES:
        atrest settings
        atrest settings set target 18h
        atrest settings set unit oz
      """,
    subcommands: [List.self, Get.self, Set.self], defaultSubcommand: List.self)

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "All settings.",
      discussion: """
        EXAMPLES:
          atrest settings list
          atrest settings list --json
        """)

    @OptionGroup var options: ReplicaOptions
    @OptionGroup var format: FormatOptions

    func run() throws {
      let context = CommandContext.current()
      let page = try SettingsPage(options.openExisting(), context)
      try format.answer(
        Setting.people.map { SettingRow($0, page.stored($0), context) },
        SettingsWords.page(page, context.following(page.choices), Terminal.style))
    }
  }

  struct Get: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "get", abstract: "One setting.",
      discussion: """
        EXAMPLES:
          atrest settings get target
        """)

    @Argument(help: "target, unit, quick-add, vigil or notice.", completion: .list(Setting.names))
    var name: String
    @OptionGroup var options: ReplicaOptions
    @OptionGroup var format: FormatOptions

    func run() throws {
      let context = CommandContext.current()
      let setting = try Setting.named(name)
      let page = try SettingsPage(options.openExisting(), context)
      try format.answer(
        SettingRow(setting, page.stored(setting), context),
        SettingsWords.value(
          setting, stored: page.stored(setting), context.following(page.choices)))
    }
  }

  struct Set: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "set", abstract: "Choose.",
      discussion: """
        target: 12h, 14h, 16h, 18h, 20h, 24h or any other up to 7 days. It is a reference, not a goal.
        unit: ml or oz.
        quick-add: 150ml, 200ml, 250ml, 300ml, 500ml or any other amount. A number alone is in the unit that water is shown in.
        vigil: on or off.
        notice: on or off. On, `atrest timer` tells once when a fast reaches its target: by the desktop where there is one \
        with `notify-send`, else by the terminal or its bell. Only while the timer is open; otherwise nothing runs.

        EXAMPLES:
          atrest settings set target 18h
          atrest settings set quick-add 300ml
        """)

    @Argument(help: "target, unit, quick-add, vigil or notice.", completion: .list(Setting.names))
    var name: String
    @Argument(
      help: "What you choose.", completion: .custom { words, _, _ in Set.values(after: words) })
    var value: String
    @OptionGroup var options: ReplicaOptions
    @OptionGroup var format: FormatOptions

    func run() throws {
      try Self.choose(Setting.named(name), typed: value, options, format)
    }

    /// The completions for the setting named on the command line.
    private static func values(after words: [String]) -> [String] {
      words.lazy.compactMap { try? Setting.named($0) }.last?.choices ?? []
    }

    /// Stores a typed value as an undoable action.
    static func choose(
      _ setting: Setting, typed: String, _ options: ReplicaOptions, _ format: FormatOptions
    ) throws {
      let context = CommandContext.current()
      // Invalid input must not create a replica.
      if !Replica.exists(at: options.directory) {
        _ = try setting.stored(typed: typed, unit: context.unit)
      }
      let (stored, choices) = try options.open().transaction { store in
        let stored = try setting.stored(
          typed: typed, unit: context.following(Choices(store)).unit)
        try store.action(.setting) { try store.setPreference(setting.rawValue, to: stored) }
        return (stored, try Choices(store))
      }
      try format.answer(
        SettingRow(setting, stored, context),
        SettingsWords.chosen(setting, stored: stored, context.following(choices)))
    }
  }
}

/// `atrest vigil on|off|show`.
struct VigilCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "vigil",
    abstract: "Scripture and quiet words at a few moments; off unless you turn it on.",
    discussion: """
      EXAMPLES:
        atrest vigil on
        atrest vigil show
        atrest vigil off
      """,
    subcommands: [On.self, Off.self, Show.self], defaultSubcommand: Show.self)

  struct On: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "on", abstract: "Turn it on, on every device.",
      discussion: """
        EXAMPLES:
          atrest vigil on
        """)
    @OptionGroup var options: ReplicaOptions
    @OptionGroup var format: FormatOptions

    func run() throws {
      try SettingsCommand.Set.choose(.vigil, typed: "on", options, format)
    }
  }

  struct Off: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "off", abstract: "Turn it off, on every device. Nothing of it remains.",
      discussion: """
        EXAMPLES:
          atrest vigil off
        """)
    @OptionGroup var options: ReplicaOptions
    @OptionGroup var format: FormatOptions

    func run() throws {
      try SettingsCommand.Set.choose(.vigil, typed: "off", options, format)
    }
  }

  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "show",
      abstract: "Whether it is on, and what it says now, with where that is from.",
      discussion: """
        EXAMPLES:
          atrest vigil show
        """)
    @OptionGroup var options: ReplicaOptions
    @OptionGroup var format: FormatOptions

    /// The answer for `--json`.
    struct Row: Encodable {
      var on: Bool
      var fragment: NowRow.Fragment?
    }

    func run() throws {
      let context = CommandContext.current()
      let snapshot = try options.openExisting().map { try Snapshot($0, context) } ?? .empty
      let vigil = Vigil(snapshot.choices.settings)
      let milestone = snapshot.active.flatMap {
        Milestone(elapsedMilliseconds: $0.elapsedMilliseconds(at: context.now))
      }
      let fragment =
        snapshot.active == nil
        ? vigil.idle(on: LocalDay(context.now, in: context.zone))
        : milestone.flatMap { vigil.milestone($0)?.scripture }
      let style = Terminal.colourStyle
      let words: String
      if let fragment {
        words = "\(style.scripture(fragment.text))\n\(style.citation(fragment.citation))"
      } else if vigil.isOn {
        words = Language.text("Vigil is on.", de: "Vigil ist an.")
      } else {
        words =
          Language.text("Vigil is off.", de: "Vigil ist aus.") + " "
          + Word.vigilSectionExplanation.text + " "
          + Language.text(
            "`atrest vigil on` turns it on.", de: "`atrest vigil on` schaltet sie ein.")
      }
      try format.answer(
        Row(on: vigil.isOn, fragment: fragment.map(NowRow.Fragment.init)), words)
    }
  }
}

/// `atrest premium`: the paywall. Linked from the settings and the transition moment, and hidden
/// from the help.
struct PremiumCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "premium", abstract: "What Atrest is for, and what it costs.",
    discussion: """
      EXAMPLES:
        atrest premium
      """, shouldDisplay: false)

  @OptionGroup var options: ReplicaOptions
  @OptionGroup var format: FormatOptions

  func run() throws {
    let context = CommandContext.current()
    let snapshot = try options.openExisting().map { try Snapshot($0, context) } ?? .empty
    let hadTransition =
      snapshot.isTransitionDue || snapshot.choices.settings.transitionDismissed
    guard Paywall.isReachable(for: snapshot.entitlement, hadTransition: hadTransition) else {
      throw CommandFailure(
        Language.text(
          "There is nothing to buy here. `atrest entitlement` shows what is known.",
          de: "Hier gibt es nichts zu kaufen. `atrest entitlement` zeigt, was bekannt ist."))
    }
    let width = Terminal.isRead ? min(ScreenSize.current().columns - 2, 60) : 60
    let isUnicode = Terminal.isUnicode(environment: ProcessInfo.processInfo.environment)
    try format.answer(
      PaywallRow(), SettingsWords.paywall(Terminal.style, width: width, isUnicode: isUnicode))
  }
}
