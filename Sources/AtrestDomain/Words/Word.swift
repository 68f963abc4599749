// SPDX-License-Identifier: Apache-2.0
// The keys of the screens' text.

/// A text on a screen, by its catalogue key. The name gives the screen, the element and its role;
/// `A11y` ones are for screen readers.
///
/// Milestones, Vigil's fragments and error sentences have types of their own.
public enum Word: String, Hashable, Sendable, CaseIterable {
  // The timer.
  case timerIdlePrompt = "timer.idle.prompt"
  case timerActiveLabel = "timer.active.label"
  case timerCompletedLabel = "timer.completed.label"
  case timerAbandonedLabel = "timer.abandoned.label"
  case timerActionBegin = "timer.action.begin"
  case timerActionEnd = "timer.action.end"
  case timerActionAbandon = "timer.action.abandon"
  case timerNotice = "timer.notice"
  case timerElapsedA11y = "timer.elapsed.a11y"
  case timerFirstRun = "timer.firstRun"

  // Navigation.
  case navGlyphA11y = "nav.glyph.a11y"
  case navForest = "nav.forest"
  case navCalendar = "nav.calendar"
  case navSettings = "nav.settings"

  // The forest.
  case forestEmpty = "forest.empty"
  case forestBack = "forest.back"
  case forestTreeEstablishedA11y = "forest.tree.established.a11y"
  case forestTreeIncompleteA11y = "forest.tree.incomplete.a11y"
  case forestTreeMaterialisingA11y = "forest.tree.materialising.a11y"
  case forestStarA11y = "forest.star.a11y"

  // The calendar.
  case calendarTitle = "calendar.title"
  case calendarCompleted = "calendar.completed"
  case calendarEndedEarly = "calendar.endedEarly"
  case calendarEmpty = "calendar.empty"
  case calendarPreviousA11y = "calendar.previous.a11y"
  case calendarNextA11y = "calendar.next.a11y"

  // The statistics.
  case statisticsAll = "statistics.all"
  case statisticsFast = "statistics.fast"
  case statisticsFasts = "statistics.fasts"
  case statisticsLongest = "statistics.longest"
  case statisticsMore = "statistics.more"
  case statisticsMonth = "statistics.heading.month"
  case statisticsTarget = "statistics.heading.target"
  case statisticsCount = "statistics.heading.count"
  case statisticsSum = "statistics.heading.sum"
  case statisticsLongestOf = "statistics.heading.longest"

  // Water.
  case waterInlineHeader = "water.inline.header"
  case waterTotalA11y = "water.total.a11y"
  case waterQuickAdd = "water.quickAdd"
  case waterEmpty = "water.empty"
  case waterRemove = "water.remove"

  // The settings.
  case settingsTitle = "settings.title"
  case settingsFastingTitle = "settings.fasting.title"
  case settingsFastingTarget = "settings.fasting.target"
  case settingsFastingNote = "settings.fasting.note"
  case settingsHydrationTitle = "settings.hydration.title"
  case settingsHydrationUnit = "settings.hydration.unit"
  case settingsHydrationQuickAdd = "settings.hydration.quickAdd"
  case settingsPremiumTitle = "settings.premium.title"
  case settingsPremiumGo = "settings.premium.go"
  case settingsDataTitle = "settings.data.title"
  case settingsDataExport = "settings.data.export"
  case settingsDataImport = "settings.data.import"
  case settingsDataNote = "settings.data.note"
  case settingsDataNoteSynced = "settings.data.noteSynced"
  case settingsAccountTitle = "settings.account.title"
  case settingsAccountManage = "settings.account.manage"
  case settingsAccountRestore = "settings.account.restore"
  case settingsLegalTitle = "settings.legal.title"
  case settingsLegalTerms = "settings.legal.terms"
  case settingsLegalPrivacy = "settings.legal.privacy"

  // The transition moment.
  case transitionBody = "transition.body"
  case transitionContinue = "transition.continue"
  case transitionLater = "transition.later"

  // The paywall.
  case paywallValues = "paywall.values"
  case paywallDescription = "paywall.description"
  case paywallAnnual = "paywall.annual"
  case paywallLifetime = "paywall.lifetime"
  case paywallRestore = "paywall.restore"
  case paywallAppleNote = "paywall.appleNote"
  case paywallRenewalNote = "paywall.renewalNote"
  case paywallStatusProcessing = "paywall.status.processing"
  case paywallStatusError = "paywall.status.error"
  case paywallStatusSuccess = "paywall.status.success"

  // Vigil, verbatim.
  case vigilSectionTitle = "vigil.section.title"
  case vigilSectionExplanation = "vigil.section.explanation"
  case vigilA11yScripture = "vigil.a11y.scripture"
  case vigilA11yCitation = "vigil.a11y.citation"

  // Input errors: what happened, then what to do.
  case problemNotASwitch = "problem.notASwitch"
  case problemNotAUnit = "problem.notAUnit"
  case problemUnknownSetting = "problem.unknownSetting"
  case problemNotAMonth = "problem.notAMonth"
  case problemNotForPeople = "problem.notForPeople"

  /// The catalogue's text, with placeholders if it has any.
  public var text: String { Catalogue.text(rawValue) }

  /// The text with each `%@` replaced by the next value. Surplus placeholders are removed.
  public func text(_ values: String...) -> String {
    var result = ""
    var rest = values[...]
    var pieces = text[...]
    while let percent = pieces.firstIndex(of: "%") {
      let after = pieces[percent...].dropFirst()
      if after.first == "@" {
        result += pieces[..<percent] + (rest.popFirst() ?? "")
        pieces = after.dropFirst()
      } else {
        result += pieces[...percent]
        pieces = after
      }
    }
    return result + pieces
  }
}
