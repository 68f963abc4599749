// SPDX-License-Identifier: Apache-2.0
// `atrest timer`: the live view's I/O. `TimerModel` and `TimerScreen` decide what is shown.

import ArgumentParser
import AtrestClient
import AtrestCommandLine
import AtrestCompanion
import AtrestDomain
import AtrestFoundation
import AtrestReplication
import AtrestWire
import Foundation

/// `atrest timer`.
struct TimerCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "timer", abstract: "The timer, live on the whole terminal.",
    discussion: """
      Keys: b begins a fast, e ends it, l lets it go, w notes a quick addition of water, u takes back what was done last here, and then \
      what was done before it, f shows the forest, m the month, c where a line of Vigil is from, q leaves. The fast goes on without the timer.

      EXAMPLES:
        atrest timer
      """)

  @OptionGroup var options: ReplicaOptions

  func run() throws {
    guard TerminalSession.isPossible else { throw Self.noTerminal }
    let style = Terminal.style.atNight
    let live = LiveTimer(options, style: style)
    let session = TerminalSession(ground: style.ground)
    // Report a read error before the screen is taken over.
    try live.load()
    guard session.begin() else { throw Self.noTerminal }
    defer { session.end() }
    session.run(live)
  }

  private static let noTerminal = CommandFailure(
    Language.text(
      "The live timer needs a terminal to draw on. `atrest` shows the same once.",
      de: "Der Timer braucht ein Terminal zum Zeichnen. `atrest` zeigt dasselbe einmal."), .usage)
}

/// Drives the model with a terminal and a replica.
private final class LiveTimer: LiveView {
  private let options: ReplicaOptions
  private let style: Style
  private var model: TimerModel
  private var replica: Replica?
  private var loaded = WallTime(milliseconds: .min)
  private(set) var isOver = false
  /// The actions taken here and the records that they wrote, the last one last.
  private var done: [(action: UserAction, id: [UInt8])] = []
  /// What is shown over the timer.
  private var page: PageView?

  /// The interval at which the replica is read again: `atrest sync --watch` may bring changes.
  private static let reloadMilliseconds: Int64 = 3000

  init(_ options: ReplicaOptions, style: Style) {
    self.options = options
    self.style = style
    model = TimerModel(
      .current(), size: .current(), reduceMotion: style.colours == .none,
      isUnicode: Terminal.isUnicode(environment: ProcessInfo.processInfo.environment))
  }

  /// Reads the replica if there is one.
  func load() throws {
    loaded = SystemClock().now()
    if replica?.isWritable != true { replica = try options.openExisting() }
    guard let replica else { return }
    let snapshot = try Snapshot(replica, model.context)
    let shown = try model.shown.flatMap { try replica.session($0.id) }
    perform(model.handle(.loaded(snapshot, shown: shown)))
  }

  var lines: [String] { page?.lines ?? TimerScreen(model).lines().map { $0.painted(style) } }

  var pauseMilliseconds: Int { model.isMoving ? 100 : 1000 }

  func press(_ keys: [TerminalKey]) {
    perform(model.handle(.tick(SystemClock().now())))
    for key in keys where !isOver {
      guard let page else {
        perform(model.handle(.key(key)))
        continue
      }
      page.press([key])
      if page.isOver { self.page = nil }
    }
  }

  func tick() {
    let now = SystemClock().now()
    perform(model.handle(.tick(now)))
    // The clock may have been set back.
    if now.milliseconds(since: loaded) >= Self.reloadMilliseconds || loaded > now { reload() }
  }

  func resize() {
    perform(model.handle(.resized(.current())))
    page?.resize()
    reload()
  }

  private func reload() {
    do { try load() } catch { fail(error) }
  }

  private func fail(_ error: any Error) {
    let sentence =
      Atrest.failure(of: error)?.sentence
      ?? Language.text(
        "That did not work. `atrest status` may say more.",
        de: "Das hat nicht geklappt. `atrest status` sagt vielleicht mehr.")
    _ = model.handle(.failed(sentence))
  }

  private func perform(_ effects: [TimerModel.Effect]) {
    for effect in effects {
      guard effect != .quit else {
        isOver = true
        return
      }
      do {
        let sentence = try write(effect)
        perform(model.handle(.did(effect, saying: sentence)))
        try load()
      } catch {
        fail(error)
      }
    }
  }

  /// - Returns: A notice about the result.
  private func write(_ effect: TimerModel.Effect) throws -> String? {
    let now = model.context.now
    switch effect {
    case .notice:
      DesktopNotice.post(title: "Atrest", text: Word.timerNotice.text)
      return nil
    case .forest:
      page = try ForestPage.view(options, style)
      return nil
    case .month:
      page = try CalendarPage.view(options, style, LocalMonth(now, in: model.context.zone))
      return nil
    default: break
    }
    let replica = try replica ?? options.open()
    self.replica = replica
    switch effect {
    case .begin:
      let session = try replica.transaction {
        try $0.begin(at: now, targetMinutes: Choices($0).settings.targetMinutes)
      }
      note((.begin, session.id.bytes))
    case .end:
      let ended = try replica.transaction { try $0.finish(at: now, as: .completed) }
      note((.end, ended.session.id.bytes))
    case .letGo:
      let ended = try replica.transaction { try $0.finish(at: now, as: .abandoned) }
      note((.abandon, ended.session.id.bytes))
    case .water:
      let id = RecordUUID.random()
      try replica.transaction { store in
        let amount = try Choices(store).settings.quickAddMillilitres
        try store.note(
          WaterEntry(
            id: id, intake: WaterCommand.intake(at: now, millilitres: amount, model.context)))
      }
      note((.water, id.bytes))
    case .undo: return try undo(in: replica)
    case .rememberTransition:
      try replica.setPreference(
        TransitionMoment.dismissedKey, to: TransitionMoment.dismissedValue)
    case .forest, .month, .notice, .quit: break
    }
    return nil
  }

  private func note(_ action: (action: UserAction, id: [UInt8])) {
    done.append(action)
    if done.count > TimerModel.undoLimit { done.removeFirst() }
  }

  /// Undoes the last action taken here that was not undone yet. An action taken elsewhere on this
  /// device since then is not on the screen, so it stays.
  ///
  /// - Returns: A description of what was undone.
  private func undo(in replica: Replica) throws -> String {
    let undone = try replica.transaction { store in
      let undone = try store.undo()
      // Throwing rolls the transaction back.
      if let undone, !isLast(undone) { throw Self.changedSince }
      return undone
    }
    guard let undone else { throw UndoWords.nothing() }
    done.removeLast()
    guard undone.isUndone else { return UndoWords.kept(undone) }
    return UndoWords.text(undone, model.context)
  }

  private func isLast(_ undone: UndoneAction) -> Bool {
    guard let last = done.last else { return false }
    return undone.action == last.action && undone.changes.map(\.after.key.id) == [last.id]
  }

  private static var changedSince: CommandFailure {
    CommandFailure(
      Language.text(
        "Something else was done since. `atrest undo` takes back what was done last.",
        de: "Seitdem geschah etwas anderes. `atrest undo` nimmt das Letzte zurück."))
  }
}
