// SPDX-License-Identifier: Apache-2.0
// The state machine of the live timer. Pure: reads no clock, terminal or disk.

import AtrestCommandLine
import AtrestCompanion
import AtrestDomain
import AtrestReplication
import Foundation

/// The state of the live timer.
struct TimerModel: Hashable {
  /// An input to the state machine.
  enum Event: Hashable {
    /// A key was pressed.
    case key(TerminalKey)
    /// Time passed.
    case tick(WallTime)
    /// The terminal was resized.
    case resized(ScreenSize)
    /// The replica was read: its snapshot, and the current version of the fast on the screen.
    case loaded(Snapshot, shown: Session?)
    /// An effect succeeded, with an optional notice.
    case did(Effect, saying: String? = nil)
    /// An effect was refused or failed, with a notice.
    case failed(String)
  }

  /// An action for the owner, who answers with `did` or `failed`.
  enum Effect: Hashable {
    /// Start a fast now with the usual target.
    case begin
    /// Complete the fast.
    case end
    /// Abandon the fast.
    case letGo
    /// Record a quick addition of water.
    case water
    /// Undo the last action of this timer.
    case undo
    /// Record, for all devices, that the transition moment was seen.
    case rememberTransition
    /// Show the forest until a key returns.
    case forest
    /// Show this month until a key returns.
    case month
    /// Tell the person, who asked for it, that the fast reached its target.
    case notice
    /// Exit the program.
    case quit
  }

  /// A page shown over the timer.
  enum Overlay: Hashable {
    case transition
    case paywall
  }

  /// A sentence shown for a limited time.
  struct Notice: Hashable {
    var text: String
    var until: WallTime
  }

  /// The completion of a fast on this timer.
  struct Completion: Hashable {
    var arrival: Arrival
    var at: WallTime
  }

  private(set) var context: CommandContext
  private(set) var size: ScreenSize
  private(set) var snapshot = Snapshot.empty
  private(set) var machine = FastingMachine()
  private(set) var overlay: Overlay?
  private(set) var notice: Notice?
  /// When a fast was started here.
  private(set) var begun: WallTime?
  private(set) var completion: Completion?
  /// Fasts that were already open when another one ended here. The screen keeps the ended one until
  /// a key is pressed, then shows these.
  private var setAside: Set<RecordUUID> = []
  /// When the citation was requested.
  private(set) var citationAsked: WallTime?
  /// How many actions here can be undone with `u`, the last one first.
  private var undoable = 0
  /// Whether an action here can be undone with `u`.
  var canUndo: Bool { undoable > 0 }
  /// The most actions that can be undone here.
  static let undoLimit = 100
  /// The fast whose target was told of: a clock that is set back does not make it news again.
  private var noticed: RecordUUID?
  /// Whether the transition moment was shown since launch; it is shown at most once.
  private var hasShownTransition = false
  /// Whether to skip fades, because a terminal without colours cannot show them.
  let reduceMotion: Bool
  /// Whether the terminal shows Unicode.
  let isUnicode: Bool

  /// Letters that work while an ended fast is on the screen beside an open one. Any other key moves
  /// on to the open one.
  private static let stayingLetters: Set<Character> = ["w", "u", "c", "f", "m", "q"]
  /// How long a notice stays, in seconds.
  static let noticeSeconds = 5.0
  /// How long Vigil's line stays after a start, in seconds.
  static let fastStartSeconds = Vigil.Timing.fastStartHold + 0.8
  /// How long a citation stays, in seconds.
  static let citationSeconds = Vigil.Timing.citationHold + 0.5

  init(_ context: CommandContext, size: ScreenSize, reduceMotion: Bool, isUnicode: Bool = true) {
    self.context = context
    self.size = size
    self.reduceMotion = reduceMotion
    self.isUnicode = isUnicode
  }

  /// The active fast.
  var active: Session? {
    if case .active(let session) = machine.status { session } else { nil }
  }

  /// The fast on the screen, active or ended.
  var shown: Session? {
    switch machine.status {
    case .idle: nil
    case .active(let session), .completed(let session), .abandoned(let session): session
    }
  }

  /// The fast that was already open when the one on the screen ended here.
  var next: Session? { Fasting(snapshot.open.filter { setAside.contains($0.id) }).active }

  /// Whether an animation runs, which needs a tick every tenth of a second.
  var isMoving: Bool {
    if let begun, vigil.isOn, seconds(since: begun) < Self.fastStartSeconds { return true }
    if let completion, seconds(since: completion.at) < Arrival.length { return true }
    if let citationAsked, seconds(since: citationAsked) < Self.citationSeconds { return true }
    return false
  }

  /// Vigil according to the settings.
  var vigil: Vigil { Vigil(snapshot.choices.settings) }

  func seconds(since then: WallTime) -> Double {
    Double(context.now.milliseconds(since: then)) / 1000
  }

  // MARK: - Events

  /// Handles one event. A key without meaning in the current state changes nothing.
  mutating func handle(_ event: Event) -> [Effect] {
    switch event {
    case .key(let key):
      return press(key)
    case .tick(let now):
      let before = context.now
      context = context.at(now)
      if let notice, now >= notice.until { self.notice = nil }
      if let citationAsked, seconds(since: citationAsked) >= Self.citationSeconds {
        self.citationAsked = nil
      }
      return noticeAtTarget(since: before)
    case .resized(let size):
      self.size = size
      return []
    case .loaded(let snapshot, let shown):
      return follow(snapshot, shown)
    case .did(let effect, saying: let sentence):
      done(effect)
      if let sentence { say(sentence) }
      return []
    case .failed(let sentence):
      say(sentence)
      return []
    }
  }

  /// The notice, if it was asked for and the target was reached since a time.
  private mutating func noticeAtTarget(since before: WallTime) -> [Effect] {
    guard snapshot.choices.settings.notice, let active, noticed != active.id else { return [] }
    let target = active.span.start.advanced(
      by: Int64(active.targetMinutes) * Milliseconds.perMinute)
    guard before < target, target <= context.now else { return [] }
    noticed = active.id
    say(Word.timerNotice.text)
    return [.notice]
  }

  private mutating func press(_ key: TerminalKey) -> [Effect] {
    switch overlay {
    case .transition: return pressInTransition(key)
    case .paywall:
      overlay = nil
      return []
    case nil: break
    }
    if next != nil, !(key.letter.map(Self.stayingLetters.contains) ?? false) {
      setAside = []
      completion = nil
      machine.follow(snapshot.open)
      return []
    }
    guard let letter = key.letter else { return [] }
    let isActive = machine.status.isActive
    switch letter {
    case "b" where !isActive: return [.begin]
    case "e" where isActive: return [.end]
    case "l" where isActive: return [.letGo]
    case "w": return [.water]
    case "u" where canUndo: return [.undo]
    case "f" where FeatureGate.forest.isOpen(for: snapshot.entitlement): return [.forest]
    case "m": return [.month]
    case "c":
      if fragment != nil { citationAsked = context.now }
      return []
    case "q": return [.quit]
    default: return []
    }
  }

  private mutating func pressInTransition(_ key: TerminalKey) -> [Effect] {
    switch (key, key.letter) {
    case (_, "c"):
      overlay = FeatureGate.paywall.isOpen(for: snapshot.entitlement) ? .paywall : nil
      return [.rememberTransition]
    case (_, "m"), (.escape, _):
      overlay = nil
      return [.rememberTransition]
    case (_, "q"): return [.rememberTransition, .quit]
    default: return []
    }
  }

  private mutating func follow(_ snapshot: Snapshot, _ shown: Session?) -> [Effect] {
    self.snapshot = snapshot
    context = context.following(snapshot.choices)
    let before = self.shown?.id
    let sessions = snapshot.open + (shown.map { [$0] } ?? [])
    setAside.formIntersection(snapshot.open.map(\.id))
    machine.follow(sessions.filter { !setAside.contains($0.id) })
    switch machine.status {
    case .idle, .active:
      setAside = []
      machine.follow(sessions)
    case .completed, .abandoned: break
    }
    if self.shown?.id != before || machine.status.isActive { completion = nil }
    if !machine.status.isActive { begun = nil }
    if snapshot.isTransitionDue, !hasShownTransition {
      overlay = .transition
      hasShownTransition = true
    }
    if overlay == .paywall, !FeatureGate.paywall.isOpen(for: snapshot.entitlement) { overlay = nil }
    if overlay == .transition, !FeatureGate.transitionMoment.isOpen(for: snapshot.entitlement) {
      overlay = nil
    }
    return []
  }

  /// Updates the local state after an effect. The records follow with the next `loaded`.
  private mutating func done(_ effect: Effect) {
    switch effect {
    case .begin:
      begun = context.now
      undoable = min(undoable + 1, Self.undoLimit)
      notice = nil
    case .end:
      setOthersAside()
      if let session = active {
        let from = MaterialisingProgress.value(of: machine.status, at: context.now)
        machine.complete(at: context.now)
        let isEstablished = shown.map { TreeMapper.state(of: $0) == .established } ?? false
        completion = Completion(
          arrival: Arrival(
            from: from, isEstablished: isEstablished, vigil: vigil.isOn,
            reduceMotion: reduceMotion), at: max(context.now, session.span.start))
      }
      undoable = min(undoable + 1, Self.undoLimit)
      notice = nil
      if let shown, !shown.isInHistory {
        say(SessionWords.short)
      }
    case .letGo:
      setOthersAside()
      machine.abandon(at: context.now)
      undoable = min(undoable + 1, Self.undoLimit)
      notice = nil
    case .water:
      undoable = min(undoable + 1, Self.undoLimit)
      let amount = context.amount(snapshot.choices.settings.quickAddMillilitres)
      say(Language.text("Noted \(amount).", de: "Notiert: \(amount)."))
    case .undo:
      undoable = max(0, undoable - 1)
      completion = nil
    case .rememberTransition, .forest, .month, .notice, .quit: break
    }
  }

  /// Keeps the screen on the active fast, which is about to end.
  private mutating func setOthersAside() {
    let ending = active?.id
    setAside = Set(snapshot.open.map(\.id).filter { $0 != ending })
  }

  private mutating func say(_ sentence: String) {
    notice = Notice(
      text: sentence, until: context.now.advanced(by: Int64(Self.noticeSeconds * 1000)))
  }

  // MARK: - Vigil

  /// Vigil's current line, if any.
  var fragment: ScriptureFragment? {
    switch machine.status {
    case .idle: return vigil.idle(on: LocalDay(context.now, in: context.zone))
    case .active(let session):
      return Milestone(elapsedMilliseconds: session.elapsedMilliseconds(at: context.now))
        .flatMap { vigil.milestone($0)?.scripture }
    case .completed(let session):
      guard let completion,
        seconds(since: completion.at) >= Arrival.scriptureDelay || reduceMotion
      else { return nil }
      return vigil.arrival(of: session, completed: snapshot.completed)
    case .abandoned: return nil
    }
  }
}
