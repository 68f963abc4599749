// SPDX-License-Identifier: Apache-2.0
// What a person can do: each action is one transaction, and most can be undone.

import AtrestDomain
import AtrestReplication
import AtrestSync
import TrunkDomain

extension WebCore {
  func act(_ name: String, _ argument: Arguments, _ now: WallTime) throws(CoreFailure) -> JSON {
    try write(now) { work throws(CoreFailure) in
      switch name {
      case "fast.start": try start(argument, &work)
      case "fast.complete": try finish(argument, as: .completed, &work)
      case "fast.cancel": try finish(argument, as: .abandoned, &work)
      case "fast.edit": try edit(argument, &work)
      case "fast.delete": try delete(.session, argument, .deleteFast, &work)
      case "water.add": try drink(argument, &work)
      case "water.delete": try delete(.water, argument, .deleteWater, &work)
      case "settings.set": try set(argument, &work)
      case "transition.dismiss": try dismissTransition(&work)
      case "undo": try undo(of: Self.fastingKinds, &work)
      case "water.undo": try undo(of: [.water], &work)
      case "conflict.restore": try restore(argument, &work)
      case "unpair": unpair(work)
      default: try actInGarden(name, argument, &work)
      }
    }
  }

  /// Runs an action that can be undone.
  func undoable<Value>(
    _ what: UserAction, _ work: inout Work, _ body: (inout Work) throws(CoreFailure) -> Value
  ) throws(CoreFailure) -> Value {
    work.beginAction()
    let value = try body(&work)
    do throws(ReplicaError) { try work.endAction(what) } catch { throw CoreFailure(error) }
    return value
  }

  private func save(_ session: Session, _ work: inout Work) throws(CoreFailure) {
    do throws(ReplicaError) { try work.save(session) } catch { throw CoreFailure(error) }
  }

  private func fasting(_ work: Work) throws(CoreFailure) -> Fasting {
    Fasting(try told { () throws(ReplicaError) in try work.listings.openSessions() })
  }

  private func start(_ argument: Arguments, _ work: inout Work) throws(CoreFailure) -> JSON {
    let now = work.now
    let at = try argument.chosenTime("at")
    if let at {
      try chosen { () throws(InputProblem) in try TypedRules.check(start: at, end: nil, now: now) }
    }
    let settings = try settings(of: work)
    let target = try argument.number("targetMinutes", 1...(7 * 24 * 60)).map { Int($0) }
    let fasting = try fasting(work)
    let session: Session
    do throws(FastingRefusal) {
      session = try fasting.start(
        id: newID(), at: at ?? now, targetMinutes: target ?? settings.targetMinutes)
    } catch {
      throw CoreFailure(code: "refused", error.userMessage)
    }
    try undoable(.begin, &work) { work throws(CoreFailure) in try save(session, &work) }
    return .members(("id", .text(session.id.uuidString.lowercased())))
  }

  private func finish(
    _ argument: Arguments, as outcome: Session.Outcome, _ work: inout Work
  ) throws(CoreFailure) -> JSON {
    let now = work.now
    let at = try argument.chosenTime("at")
    if let at { try chosen { () throws(InputProblem) in try TypedRules.check(time: at, now: now) } }
    let fasting = try fasting(work)
    if let at, let active = fasting.active, at < active.span.start {
      throw CoreFailure(InputProblem.endBeforeStart)
    }
    let session: Session
    do throws(FastingRefusal) {
      session =
        outcome == .completed
        ? try fasting.complete(at: at ?? now) : try fasting.abandon(at: at ?? now)
    } catch {
      throw CoreFailure(code: "refused", error.userMessage)
    }
    if outcome == .completed {
      try chosen { () throws(InputProblem) in try TypedRules.check(lengthOf: session) }
    }
    try undoable(outcome == .completed ? .end : .abandon, &work) { work throws(CoreFailure) in
      try save(session, &work)
    }
    return .members(("id", .text(session.id.uuidString.lowercased())))
  }

  private func edit(_ argument: Arguments, _ work: inout Work) throws(CoreFailure) -> JSON {
    let now = work.now
    let session = try session(argument.required(argument.id("id")), in: work)
    let (start, end) = (try argument.chosenTime("start"), try argument.chosenTime("end"))
    let target = try argument.number("targetMinutes", 1...(7 * 24 * 60)).map { Int($0) }
    var outcome: Session.Outcome?
    switch try argument.text("outcome") {
    case nil: break
    case "active": outcome = .active
    case "completed": outcome = .completed
    case "abandoned": outcome = .abandoned
    default: throw .misuse("the outcome is unknown")
    }
    let edited = try chosen { () throws(InputProblem) in
      try session.edited(
        start: start, end: end, outcome: outcome, targetMinutes: target, now: now)
    }
    try undoable(.editFast, &work) { work throws(CoreFailure) in try save(edited, &work) }
    return .members(("id", .text(edited.id.uuidString.lowercased())))
  }

  private func delete(
    _ kind: RecordKind, _ argument: Arguments, _ what: UserAction, _ work: inout Work
  ) throws(CoreFailure) -> JSON {
    let key = RecordKey(kind: kind, id: try argument.required(argument.id("id")).bytes)
    try undoable(what, &work) { work throws(CoreFailure) in
      do throws(ReplicaError) { _ = try work.delete(key) } catch { throw CoreFailure(error) }
    }
    return .object([])
  }

  private func drink(_ argument: Arguments, _ work: inout Work) throws(CoreFailure) -> JSON {
    let now = work.now
    let settings = try settings(of: work)
    let amount = try argument.number("millilitres", 0...1_000_000).map { Int($0) }
    let millilitres = amount ?? settings.quickAddMillilitres
    let at = try argument.chosenTime("at") ?? now
    try chosen { () throws(InputProblem) in
      try TypedRules.check(millilitres: millilitres, unit: settings.waterUnit)
      try TypedRules.check(time: at, now: now)
    }
    guard let intake = WaterEntry.Intake(at: at, millilitres: millilitres) else {
      throw CoreFailure(InputProblem.amountOutOfRange)
    }
    let entry = WaterEntry(id: newID(), intake: intake)
    try undoable(.water, &work) { work throws(CoreFailure) in
      do throws(ReplicaError) { try work.save(entry) } catch { throw CoreFailure(error) }
    }
    let words = AmountText.text(millilitres: millilitres, unit: settings.waterUnit)
    return .members(
      ("id", .text(entry.id.uuidString.lowercased())),
      ("words", .text(Language.text("Noted \(words).", de: "\(words) notiert."))))
  }

  private func set(_ argument: Arguments, _ work: inout Work) throws(CoreFailure) -> JSON {
    let name = try argument.required(argument.text("setting"))
    let typed = try argument.required(argument.text("value"))
    let unit = try settings(of: work).waterUnit
    let setting: Setting
    do throws(ChoiceProblem) { setting = try Setting.named(name) } catch {
      throw CoreFailure(code: "input", error.userMessage)
    }
    let value: String
    do throws(SettingProblem) { value = try setting.stored(typed: typed, unit: unit) } catch {
      throw CoreFailure(code: "input", error.userMessage)
    }
    try undoable(.setting, &work) { work throws(CoreFailure) in
      do throws(ReplicaError) { try work.setPreference(setting.rawValue, to: value) } catch {
        throw CoreFailure(error)
      }
    }
    return .object([])
  }

  private func dismissTransition(_ work: inout Work) throws(CoreFailure) -> JSON {
    do throws(ReplicaError) {
      try work.setPreference(TransitionMoment.dismissedKey, to: TransitionMoment.dismissedValue)
    } catch { throw CoreFailure(error) }
    return .object([])
  }

  /// Takes the latest action back that wrote to records of some kinds, and says what became of it.
  func undo(of kinds: Set<RecordKind>, _ work: inout Work) throws(CoreFailure) -> JSON {
    let undone: UndoneAction?
    do throws(ReplicaError) { undone = try work.undo(of: kinds) } catch {
      throw CoreFailure(error)
    }
    let words =
      if undone == nil {
        Language.text(
          "There is nothing to take back on this device.",
          de: "Auf diesem Gerät ist nichts zurückzunehmen.")
      } else if undone?.changes.isEmpty == true {
        Language.text(
          "That changed too much at once to be taken back. Once more takes back what was done "
            + "before.",
          de: "Das hat zu viel auf einmal geändert, um es zurückzunehmen. Noch einmal nimmt "
            + "zurück, was davor geschah.")
      } else if undone?.isWaiting == true {
        Language.text(
          "Another fast is going on, so that one stays ended. End the other one first.",
          de: "Ein anderes Fasten läuft, darum bleibt das beendet. Beende zuerst das andere.")
      } else if undone?.isUndone == false {
        Language.text(
          "That was changed again since, here or on another device, and stays as it is.",
          de: "Das wurde seither wieder geändert, hier oder auf einem anderen Gerät, und bleibt, "
            + "wie es ist.")
      } else if let undone, let kind = undone.mainKind {
        takenBack(
          noun(kind), undone.changes.count { $0.after.key.kind == kind && !$0.restored.isEmpty })
      } else {
        Language.text("Taken back.", de: "Zurückgenommen.")
      }
    return .members(("undone", .bool(undone?.isUndone ?? false)), ("words", .text(words)))
  }

  private func takenBack(_ noun: Noun, _ count: Int) -> String {
    let what = count == 1 ? noun.one : noun.counted(count)
    return Language.text("Taken back: \(what).", de: "Zurückgenommen: \(what).")
  }

  private func restore(_ argument: Arguments, _ work: inout Work) throws(CoreFailure) -> JSON {
    let id = try argument.required(argument.text("id"))
    let conflicts = try conflicts(in: work)
    guard let conflict = conflicts.first(where: { Hexadecimal.encoded($0.journalKey.id) == id })
    else {
      throw CoreFailure(
        code: "notFound",
        Language.text(
          "This is not in the list any more. Choose another entry.",
          de: "Das steht nicht mehr in der Liste. Wähle einen anderen Eintrag."))
    }
    try undoable(.restore, &work) { work throws(CoreFailure) in
      do throws(ReplicaError) { try work.restore(conflict) } catch { throw CoreFailure(error) }
    }
    return .members(("words", .text(Language.text("Restored.", de: "Wiederhergestellt."))))
  }

  private func unpair(_ work: Work) -> JSON {
    work.unpair()
    return .object([])
  }
}

extension UndoneAction {
  /// What it was about: a sprout rather than the leaf that was named with it.
  fileprivate var mainKind: RecordKind? {
    changes.contains { $0.after.key.kind == .sprout } ? .sprout : changes.first?.after.key.kind
  }
}
