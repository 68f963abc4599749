// SPDX-License-Identifier: Apache-2.0
// The catalogue of all text for people, in one place.

/// All text by key, in English; `Catalogue+German.swift` has the same in German. Keys are those of
/// the iOS app's strings where it has them.
///
/// It is code rather than a resource file because a resource bundle lies beside the executable. The
/// command-line tool is copied as a single file and would lose its text.
///
/// The voice is unhurried and plain: no praise, no pressure, no counting of days, no urgency. What
/// happens in a body "may", "likely" or "typically" happens, and no phase is better than another.
/// `WordPolicy` lists the phrases that never appear.
enum Catalogue {
  private static let timer: [(key: String, text: String)] = [
    ("timer.idle.prompt", "When you're ready"),
    ("timer.active.label", "Fasting"),
    ("timer.completed.label", "This fast is complete."),
    ("timer.abandoned.label", "You let this one go. That is all right."),
    ("timer.action.begin", "Begin"),
    ("timer.action.end", "End fast"),
    ("timer.action.abandon", "Let go"),
    ("timer.notice", "This fast has reached its target."),
    ("timer.elapsed.a11y", "%@ since this fast began"),
    (
      "timer.firstRun",
      "Welcome. Begin whenever you are ready; everything here works on this device alone."
    ),
  ]

  /// Navigation.
  private static let ways: [(key: String, text: String)] = [
    ("nav.glyph.a11y", "Ways elsewhere"),
    ("nav.forest", "Forest"),
    ("nav.calendar", "Calendar"),
    ("nav.settings", "Settings"),
  ]

  private static let forest: [(key: String, text: String)] = [
    ("forest.empty", "Your forest grows here."),
    ("forest.back", "Return to timer"),
    ("forest.tree.established.a11y", "A tree in %@, for the fast of %@"),
    ("forest.tree.incomplete.a11y", "A grey tree, for the fast of %@"),
    ("forest.tree.materialising.a11y", "A tree coming into being"),
    ("forest.star.a11y", "A star over it"),
  ]

  private static let calendar: [(key: String, text: String)] = [
    ("calendar.title", "Calendar"),
    ("calendar.completed", "Completed"),
    ("calendar.endedEarly", "Ended early"),
    ("calendar.empty", "Nothing here yet."),
    ("calendar.previous.a11y", "The month before"),
    ("calendar.next.a11y", "The month after"),
    ("calendar.month.1", "January"),
    ("calendar.month.2", "February"),
    ("calendar.month.3", "March"),
    ("calendar.month.4", "April"),
    ("calendar.month.5", "May"),
    ("calendar.month.6", "June"),
    ("calendar.month.7", "July"),
    ("calendar.month.8", "August"),
    ("calendar.month.9", "September"),
    ("calendar.month.10", "October"),
    ("calendar.month.11", "November"),
    ("calendar.month.12", "December"),
    ("calendar.weekday.1", "Sun"),
    ("calendar.weekday.2", "Mon"),
    ("calendar.weekday.3", "Tue"),
    ("calendar.weekday.4", "Wed"),
    ("calendar.weekday.5", "Thu"),
    ("calendar.weekday.6", "Fri"),
    ("calendar.weekday.7", "Sat"),
  ]

  private static let statistics: [(key: String, text: String)] = [
    ("statistics.all", "%@, %@ in all."),
    ("statistics.fast", "1 fast"),
    ("statistics.fasts", "%@ fasts"),
    ("statistics.longest", "The longest took %@, until %@."),
    ("statistics.more", "%@ more: `--months %@` shows them all."),
    ("statistics.heading.month", "Month"),
    ("statistics.heading.target", "Target"),
    ("statistics.heading.count", "Fasts"),
    ("statistics.heading.sum", "In all"),
    ("statistics.heading.longest", "Longest"),
  ]

  /// The tree colours, for use within a sentence.
  private static let colours: [(key: String, text: String)] = [
    ("palette.tone.0", "bark brown"),
    ("palette.tone.1", "warm amber"),
    ("palette.tone.2", "moss-grey green"),
    ("palette.tone.3", "cool stone"),
    ("palette.tone.4", "ancient gold"),
  ]

  private static let water: [(key: String, text: String)] = [
    ("water.inline.header", "Today"),
    ("water.total.a11y", "%@ of water today"),
    ("water.quickAdd", "Add %@"),
    ("water.empty", "Nothing noted yet."),
    ("water.remove", "Remove"),
  ]

  private static let settings: [(key: String, text: String)] = [
    ("settings.title", "Settings"),
    ("settings.fasting.title", "Fasting"),
    ("settings.fasting.target", "Target"),
    ("settings.fasting.note", "This is a reference, not a goal."),
    ("settings.hydration.title", "Hydration"),
    ("settings.hydration.unit", "Unit"),
    ("settings.hydration.quickAdd", "Quick add"),
    ("settings.premium.title", "Premium"),
    ("settings.premium.go", "Go premium"),
    ("settings.data.title", "Your data"),
    ("settings.data.export", "Export"),
    ("settings.data.import", "Import"),
    ("settings.data.note", "Your data is stored only on this device."),
    (
      "settings.data.noteSynced",
      "Your data is stored on your devices, and on the server you paired them with."
    ),
    ("settings.account.title", "Account"),
    ("settings.account.manage", "Manage subscription"),
    ("settings.account.restore", "Restore purchases"),
    ("settings.legal.title", "Legal"),
    ("settings.legal.terms", "Terms of Service"),
    ("settings.legal.privacy", "Privacy Policy"),
  ]

  /// The transition moment.
  private static let transition: [(key: String, text: String)] = [
    (
      "transition.body",
      "Ten fasts have passed here, quietly.\n\nThe timer, its companions and your water "
        + "remain as they are, for as long as you like. With Atrest the forest remains too, "
        + "and every month of the calendar.\n\nEither way is a good way."
    ),
    ("transition.continue", "Continue with Atrest"),
    ("transition.later", "Maybe later"),
  ]

  private static let paywall: [(key: String, text: String)] = [
    (
      "paywall.values",
      "Atrest is made to stay quiet. It carries no advertising, asks for no attention, and "
        + "sells nothing about you."
    ),
    (
      "paywall.description",
      "A tree for each fast, from the first one on, in a forest that is yours to walk "
        + "through. Every fast in the calendar, however long ago."
    ),
    ("paywall.annual", "$29 a year"),
    ("paywall.lifetime", "$79 once"),
    ("paywall.restore", "Restore purchases"),
    ("paywall.appleNote", "Payment is made through your Apple Account."),
    (
      "paywall.renewalNote",
      "The yearly plan renews each year for $29, until you cancel it in the settings of "
        + "your Apple Account at least 24 hours before the year is over."
    ),
    ("paywall.status.processing", "One moment."),
    ("paywall.status.error", "That did not go through. You can try again whenever you like."),
    ("paywall.status.success", "Thank you. Your forest is open to you."),
  ]

  /// Milestones: a name for use within a sentence, and a text.
  private static let milestones: [(key: String, text: String)] = [
    ("milestone.digestion_completing.name", "digestion completing"),
    (
      "milestone.digestion_completing.text",
      "Your body is likely still working through its last meal."
    ),
    ("milestone.beginning_to_shift.name", "beginning to shift"),
    (
      "milestone.beginning_to_shift.text",
      "Insulin typically settles now, and stored energy may begin to be drawn on."
    ),
    ("milestone.metabolic_transition.name", "metabolic transition"),
    (
      "milestone.metabolic_transition.text",
      "Your body may be moving from its sugar stores toward fat."
    ),
    ("milestone.deeper_rhythm.name", "deeper rhythm"),
    (
      "milestone.deeper_rhythm.text",
      "Fat is likely a larger share of what you run on now; a quieter rhythm may be "
        + "settling in."
    ),
    ("milestone.extended_fast.name", "extended fast"),
    (
      "milestone.extended_fast.text",
      "A long fast. Your body may be tending to slower kinds of upkeep."
    ),
    ("milestone.prolonged_fast.name", "prolonged fast"),
    (
      "milestone.prolonged_fast.text",
      "A very long fast. Your body is likely living on what it stored; notice how you "
        + "feel, and end it whenever you like."
    ),
  ]

  /// Vigil, verbatim.
  private static let vigil: [(key: String, text: String)] = [
    ("vigil.section.title", "Vigil"),
    (
      "vigil.section.explanation",
      "Adds Scripture and reflective language throughout your fasting experience."
    ),
    ("vigil.fastStart", "You have set this time apart."),
    (
      "vigil.milestone.digestionCompleting.companion",
      "For now, it is simply a choice — a quiet setting-apart of hours."
    ),
    (
      "vigil.milestone.beginningToShift.companion",
      "What was received is now being tended — drawn from gently."
    ),
    (
      "vigil.milestone.metabolicTransition.companion",
      "This is often where choosing to remain becomes its own quiet practice."
    ),
    (
      "vigil.milestone.deeperRhythm.companion",
      "Not only the body finds a rhythm — something quieter settles alongside it."
    ),
    (
      "vigil.milestone.extendedFast.companion",
      "For thousands of years, fasting this long has been understood as a way of making "
        + "room."
    ),
    (
      "vigil.milestone.prolongedFast.companion",
      "Be attentive to how you feel — and to what else surfaces in the stillness."
    ),
    ("vigil.milestone.digestionCompleting.scripture", "This is the day."),
    ("vigil.milestone.digestionCompleting.citation", "Psalm 118"),
    ("vigil.milestone.beginningToShift.scripture", "I shall not want."),
    ("vigil.milestone.beginningToShift.citation", "Psalm 23"),
    ("vigil.milestone.metabolicTransition.scripture", "When you pass through, I will be with you."),
    ("vigil.milestone.metabolicTransition.citation", "Isaiah 43"),
    ("vigil.milestone.deeperRhythm.scripture", "Be still, and know."),
    ("vigil.milestone.deeperRhythm.citation", "Psalm 46"),
    ("vigil.milestone.extendedFast.scripture", "Not by bread alone."),
    ("vigil.milestone.extendedFast.citation", "Matthew 4"),
    ("vigil.milestone.prolongedFast.scripture", "Search me, and know my heart."),
    ("vigil.milestone.prolongedFast.citation", "Psalm 139"),
    ("vigil.arrival.0", "In every season, it yields its fruit."),
    ("vigil.arrival.0.citation", "Revelation 22"),
    ("vigil.arrival.1", "What was begun in you is being carried to completion."),
    ("vigil.arrival.1.citation", "Philippians 1"),
    ("vigil.arrival.2", "To everything, a season."),
    ("vigil.arrival.2.citation", "Ecclesiastes 3"),
    ("vigil.arrival.3", "The Lord bless you, and keep you."),
    ("vigil.arrival.3.citation", "Numbers 6"),
    ("vigil.arrival.4", "You prepare a table before me."),
    ("vigil.arrival.4.citation", "Psalm 23"),
    ("vigil.idle.0", "The earth is full of your steadfast love."),
    ("vigil.idle.0.citation", "Psalm 119"),
    ("vigil.idle.1", "Morning by morning, new mercies."),
    ("vigil.idle.1.citation", "Lamentations 3"),
    ("vigil.idle.2", "The heavens declare."),
    ("vigil.idle.2.citation", "Psalm 19"),
    ("vigil.idle.3", "He leads me beside still waters."),
    ("vigil.idle.3.citation", "Psalm 23"),
    ("vigil.idle.4", "In him all things hold together."),
    ("vigil.idle.4.citation", "Colossians 1"),
    ("vigil.idle.5", "Great is your faithfulness."),
    ("vigil.idle.5.citation", "Lamentations 3"),
    ("vigil.idle.6", "Your hands have made and fashioned me."),
    ("vigil.idle.6.citation", "Psalm 119"),
    ("vigil.idle.7", "Even the darkness is not dark to you."),
    ("vigil.idle.7.citation", "Psalm 139"),
    ("vigil.idle.8", "In returning and rest you shall be saved."),
    ("vigil.idle.8.citation", "Isaiah 30"),
    ("vigil.idle.9", "Consider the birds of the air."),
    ("vigil.idle.9.citation", "Matthew 6"),
    ("vigil.forest.inscription", "Consider how they grow."),
    ("vigil.forest.inscription.citation", "Luke 12"),
    ("vigil.a11y.scripture", "Scripture: %@"),
    ("vigil.a11y.citation", "From %@"),
  ]

  /// Input errors: what happened, then what to do.
  private static let problems: [(key: String, text: String)] = [
    (
      "problem.notATime",
      "That is not a time I can read. Try `22:30`, `yesterday 22:30`, `2h ago`, `now` or "
        + "`2026-11-21T22:30`."
    ),
    (
      "problem.skippedTime",
      "The clocks went forward over that time, so it never came. Choose a time before or "
        + "after the gap."
    ),
    (
      "problem.notADuration",
      "That is not a length of time I can read. Try `16h`, `16h30m` or `90m`."
    ),
    (
      "problem.notAnAmount",
      "That is not an amount I can read. Try `250`, `250ml`, `0.5l` or `8oz`."
    ),
    (
      "problem.ambiguousAmount",
      "Some people read that as a thousand, others as one. Write it without the separator, as "
        + "`1000ml`, or as `1l`."
    ),
    ("problem.inTheFuture", "That time has not come yet. Give one that has passed."),
    ("problem.longAgo", "That time is before 1970. Give a later one."),
    (
      "problem.endBeforeStart",
      "A fast cannot end before it starts. Give a later end, or an earlier start."
    ),
    (
      "problem.openWithEnd",
      "A fast that goes on has no end. Give an end or the outcome `active`, not both."
    ),
    ("problem.endMissing", "That fast has no end yet. Say when it ended with `--end`."),
    (
      "problem.fastTooLong",
      "That would be a fast of more than 14 days. Give a later start, or the time at which "
        + "it ended."
    ),
    (
      "problem.amountOutOfRange",
      "One entry holds 1 ml to 5000 ml. Give an amount in between, or several entries."
    ),
    (
      "problem.ouncesOutOfRange",
      "One entry holds 0.1 fl oz to 169 fl oz. Give an amount in between, or several entries."
    ),
    (
      "problem.targetOutOfRange",
      "A target lies between 1 minute and 7 days. Choose one in between, such as `16h`."
    ),
    ("problem.notASwitch", "That is neither on nor off. Say `on` or `off`."),
    ("problem.notAUnit", "That is not a unit I know. Say `ml` or `oz`."),
    (
      "problem.unknownSetting",
      "There is no setting of that name. Try `target`, `unit`, `quick-add`, `vigil` or `notice`."
    ),
    (
      "problem.notAMonth",
      "That is not a month I can read. Try `2026-11`, `november`, `nov 2026` or `last`."
    ),
    (
      "problem.notForPeople",
      "That setting is kept by the program. Try `target`, `unit`, `quick-add`, `vigil` or `notice`."
    ),
    (
      "refusal.alreadyActive",
      "A fast is already going on. Complete it or let it go first; `atrest status` shows "
        + "it."
    ),
    ("refusal.nothingActive", "No fast is going on. `atrest fast start` begins one."),
    ("refusal.targetOutOfRange", "A target lies between a minute and 14 days. Choose another one."),
  ]

  /// Every key with its text, in file order.
  static let entries: [(key: String, text: String)] =
    timer + ways + forest + calendar + statistics + colours + water + settings + transition
    + paywall
    + milestones + vigil + problems

  private static let english = table(entries)
  private static let inGerman = table(german)

  private static func table(_ entries: [(key: String, text: String)]) -> [String: String] {
    entries.reduce(into: [:]) { texts, entry in texts[entry.key] = texts[entry.key] ?? entry.text }
  }

  /// Looks a text up in a language. An unknown key is a bug in this program and traps.
  static func text(_ key: String, in language: Language = .current) -> String {
    let texts = language == .german ? inGerman : english
    guard let text = texts[key] else { preconditionFailure("no words for \(key)") }
    return text
  }
}
