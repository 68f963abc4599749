// SPDX-License-Identifier: Apache-2.0
// What the timer shows: idle, fasting, or a fast that just ended.

import AtrestDomain
import AtrestPresentation
import AtrestReplication
import AtrestSync

extension WebCore {
  func timer(_ argument: Arguments, _ work: inout Work) throws(CoreFailure) -> JSON {
    let now = work.now
    let records = work
    let open = try told { () throws(ReplicaError) in try records.listings.openSessions() }
    let fasting = Fasting(open)
    let shown = try ended(argument.id("id"), beside: open, in: records) ?? fasting.active
    let settings = try settings(of: records)
    let entitlement = try entitlement(in: records)
    let status: FastingMachine.Status =
      switch shown {
      case nil: .idle
      case let session?:
        switch session.span.outcome {
        case .active: .active(session)
        case .completed: .completed(session)
        case .abandoned: .abandoned(session)
        }
      }
    let drinks = try drinks(of: records, around: now)
    let scene = TimerScene(
      status: status, now: now, zone: environment.zone, vigil: Vigil(settings),
      completed: try told { () throws(ReplicaError) in try records.listings.completedCount() })
    let others = open.filter { $0.id != shown?.id }
    let goesOn = !status.isActive && !others.isEmpty
    let tree = TimerTree(status: status, at: now, entitlement: entitlement)
    let target = Int64(shown?.targetMinutes ?? settings.targetMinutes) * Milliseconds.perMinute
    let canUndo = try told { () throws(ReplicaError) in
      try records.canUndo(of: Self.fastingKinds)
    }
    var members: [JSON.Member] = []
    func add(_ name: String, _ value: JSON?) { members.append(JSON.Member(name, value)) }
    add("state", .text(scene.state))
    add("fast", shown.map { fast($0, at: now) })
    add("elapsed", scene.elapsed.map { .integer($0) })
    add("target", .integer(target))
    add("remaining", scene.remaining.map { .integer($0) })
    add("materialising", .decimal(MaterialisingProgress.value(of: status, at: now)))
    if tree != nil, let shown {
      let state = TreeMapper.state(of: shown)
      let materialising = TreeState.materialising(
        progress: MaterialisingProgress.value(of: status, at: now))
      let svg = TreePicture.svg(
        TreeCharacter(id: shown.id), status.isActive ? materialising : state ?? .incomplete,
        width: try argument.side("width", or: 390),
        height: try argument.side("height", or: 844))
      add("treeSVG", .text(svg))
    }
    add("hasStar", .bool(tree?.hasStar ?? false))
    add("words", words(scene, other: others.first))
    add("water", water(drinks, settings, now))
    add("vigil", scripture(scene.fragment))
    add("vigilStart", scene.vigil.fastStart.map { .text($0) })
    add("actions", .array(goesOn ? [TimerScene.goOn] : scene.actions))
    add("nextChangeAt", .time(scene.nextChange))
    add("transitionDue", .bool(try isTransitionDue(entitlement, in: records)))
    add("canUndo", .bool(canUndo))
    add("hasGarden", .bool(try hasGarden(in: records)))
    add("gates", gates(entitlement))
    add("others", .array(others.map { fast($0, at: now) }))
    return .object(members)
  }

  /// Of a fast that no list shows.
  static var leftOut: String {
    Language.text(
      "Fasts under 4 hours are kept, and left out of the history.",
      de: "Fasten unter 4 Stunden wird behalten und fehlt im Verlauf.")
  }

  /// The fast that ended on the page that asks: shown until one was begun after it, wherever.
  private func ended(
    _ id: RecordUUID?, beside open: [Session], in work: Work
  ) throws(CoreFailure) -> Session? {
    guard let id, let session = try told({ () throws(ReplicaError) in try work.session(id) }),
      let end = session.span.end, !open.contains(where: { $0.span.start >= end })
    else { return nil }
    return session
  }

  private func words(_ scene: TimerScene, other: Session?) -> JSON {
    let elapsed = scene.elapsed.map { ElapsedText.text(milliseconds: $0) }
    let zone = environment.zone
    let stillOpen = other.map { other in
      let since = TimeText.near(other.span.start, now: scene.now, in: zone)
      return Language.text(
        "Another fast is still open, since \(since).",
        de: "Ein anderes Fasten ist noch offen, seit \(since).")
    }
    return .members(
      ("prompt", .text(scene.prompt)), ("elapsed", elapsed.map { .text($0) }),
      ("spoken", elapsed.map { .text(Word.timerElapsedA11y.text($0)) }),
      ("milestone", scene.milestone.map { .text($0.companionText) }),
      ("vigil", scene.addition.map { .text($0.companion) }),
      ("water", .text(Word.waterInlineHeader.text)), ("stillOpen", stillOpen.map { .text($0) }))
  }

  private func water(_ drinks: [WaterEntry], _ settings: Settings, _ now: WallTime) -> JSON {
    let today = WaterDay.total(of: drinks, onDayOf: now, in: environment.zone)
    return .members(
      ("millilitres", .count(today)), ("text", amount(today, settings)),
      ("quickAdd", .count(settings.quickAddMillilitres)),
      ("quickAddText", amount(settings.quickAddMillilitres, settings)))
  }
}

/// A moment of the timer.
private struct TimerScene {
  let status: FastingMachine.Status
  let now: WallTime
  let zone: ZoneOffsets
  let vigil: Vigil
  /// Fasts ever completed.
  let completed: Int

  var shown: Session? {
    switch status {
    case .idle: nil
    case .active(let session), .completed(let session), .abandoned(let session): session
    }
  }

  var state: String {
    switch status {
    case .idle: "idle"
    case .active: "fasting"
    case .completed: "complete"
    case .abandoned: "abandoned"
    }
  }

  var elapsed: Int64? { shown.map { max(0, $0.elapsedMilliseconds(at: now)) } }

  var remaining: Int64? {
    guard case .active(let session) = status, let elapsed else { return nil }
    return max(0, Int64(session.targetMinutes) * Milliseconds.perMinute - elapsed)
  }

  var milestone: Milestone? {
    guard status.isActive, let elapsed else { return nil }
    return Milestone(elapsedMilliseconds: elapsed)
  }

  var addition: Vigil.Addition? { milestone.flatMap { vigil.milestone($0) } }

  var fragment: ScriptureFragment? {
    switch status {
    case .idle: vigil.idle(on: LocalDay(now, in: zone))
    case .active: addition?.scripture
    case .completed(let session): vigil.arrival(of: session, completed: completed)
    case .abandoned: nil
    }
  }

  var prompt: String {
    switch status {
    case .idle: Word.timerIdlePrompt.text
    case .active: Word.timerActiveLabel.text
    case .completed(let session):
      switch CalendarEntry(session) {
      case let entry? where entry.endedEarly: Word.calendarEndedEarly.text
      case .some: Word.timerCompletedLabel.text
      case nil: WebCore.leftOut
      }
    case .abandoned: Word.timerAbandonedLabel.text
    }
  }

  /// From a fast that ended to another one that is open: that one is shown.
  static var goOn: JSON {
    .members(("name", "timer.goOn"), ("words", .text(ShellWord.back.text)))
  }

  var actions: [JSON] {
    let actions: [(String, Word)] =
      status.isActive
      ? [("fast.complete", .timerActionEnd), ("fast.cancel", .timerActionAbandon)]
      : [("fast.start", .timerActionBegin)]
    return actions.map { .members(("name", .text($0.0)), ("words", .text($0.1.text))) }
  }

  /// When anything but a picture changes by itself: at the next minute of the fast, or at midnight.
  var nextChange: WallTime {
    if status.isActive, let shown, let elapsed {
      return shown.span.start.advanced(
        by: (elapsed / Milliseconds.perMinute + 1) * Milliseconds.perMinute)
    }
    return LocalDay(now, in: zone).next.instant(atSecond: 0, in: zone)
      ?? now.advanced(by: Milliseconds.perHour)
  }
}
