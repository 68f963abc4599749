// SPDX-License-Identifier: Apache-2.0
// What the live timer shows, and what each key and each moment make of it. Pure: it reads no clock,
// no terminal and no disk.

import AtrestDomain
import Foundation

/// The state of the live timer.
struct TimerModel: Hashable {
  /// Something that happened.
  enum Event: Hashable {
    /// A key was pressed.
    case key(TimerKey)
    /// Time went by.
    case tick(Date)
    /// The terminal has another size.
    case resized(ScreenSize)
    /// The replica was read: what it holds, and the fast that the timer shows as the replica has it
    /// now.
    case loaded(Snapshot, shown: Session?)
    /// What an effect asked for is done, and what there is to say of it.
    case did(Effect, saying: String? = nil)
    /// What an effect asked for was refused, or failed: what to say.
    case failed(String)
  }

  /// Something for the owner to do; `did` or `failed` tells how it went.
  enum Effect: Hashable {
    /// Begin a fast now, with the usual target.
    case begin
    /// Complete the fast.
    case end
    /// Let the fast go.
    case letGo
    /// Note a quick addition of water.
    case water
    /// Take back what was done last in this timer.
    case undo
    /// Remember, for all devices, that the transition moment was seen.
    case rememberTransition
    /// End the program.
    case quit
  }

  /// What lies over the timer.
  enum Overlay: Hashable {
    case transition
    case paywall
  }

  /// A sentence that goes again.
  struct Notice: Hashable {
    var text: String
    var until: Date
  }

  /// The moment at which a fast was completed here.
  struct Completion: Hashable {
    var arrival: Arrival
    var at: Date
  }

  private(set) var context: CommandContext
  private(set) var size: ScreenSize
  private(set) var snapshot = Snapshot.empty
  private(set) var machine = FastingMachine()
  private(set) var overlay: Overlay?
  private(set) var notice: Notice?
  /// When a fast was begun here.
  private(set) var begun: Date?
  private(set) var completion: Completion?
  /// Fasts that were open already when another ended here: it stays until a key is pressed, and
  /// then they go on.
  private var setAside: Set<UUID> = []
  /// When the citation was asked for.
  private(set) var citationAsked: Date?
  /// Whether something was done here that `u` takes back.
  private(set) var canUndo = false
  /// Whether the transition moment was shown since the start: once is once.
  private var hasShownTransition = false
  /// Whether things appear at once, because a terminal without colours cannot fade.
  let reduceMotion: Bool
  /// Whether the terminal shows more than ASCII.
  let isUnicode: Bool

  /// The keys that do the same beside a fast that was open already; any other goes on to it.
  private static let stayingKeys: Set<TimerKey> = [
    .letter("w"), .letter("u"), .letter("c"), .letter("q"),
  ]
  /// Seconds for which a notice stays.
  static let noticeSeconds: TimeInterval = 5
  /// Seconds for which Vigil's line stays after a fast was begun.
  static let fastStartSeconds = Vigil.Timing.fastStartHold + 0.8
  /// Seconds for which a citation shows.
  static let citationSeconds = Vigil.Timing.citationHold + 0.5

  init(_ context: CommandContext, size: ScreenSize, reduceMotion: Bool, isUnicode: Bool = true) {
    self.context = context
    self.size = size
    self.reduceMotion = reduceMotion
    self.isUnicode = isUnicode
  }

  /// The fast that goes on.
  var active: Session? {
    if case .active(let session) = machine.status { session } else { nil }
  }

  /// The fast that is shown, over or not.
  var shown: Session? {
    switch machine.status {
    case .idle: nil
    case .active(let session), .completed(let session), .abandoned(let session): session
    }
  }

  /// The fast that was open already when the one that is shown ended here.
  var next: Session? { Fasting(snapshot.open.filter { setAside.contains($0.id) }).active }

  /// Whether something moves, and the next moment is a tenth of a second away.
  var isMoving: Bool {
    if let begun, vigil.isOn, seconds(since: begun) < Self.fastStartSeconds { return true }
    if let completion, seconds(since: completion.at) < Arrival.length { return true }
    if let citationAsked, seconds(since: citationAsked) < Self.citationSeconds { return true }
    return false
  }

  /// Vigil, as it is set now.
  var vigil: Vigil { Vigil(snapshot.choices.settings) }

  /// Seconds that went by since then.
  func seconds(since then: Date) -> TimeInterval { context.now.timeIntervalSince(then) }

  // MARK: - Events

  /// Takes one step. A key that means nothing where the person is changes nothing.
  mutating func handle(_ event: Event) -> [Effect] {
    switch event {
    case .key(let key):
      return press(key)
    case .tick(let now):
      context = context.at(now)
      if let notice, now >= notice.until { self.notice = nil }
      if let citationAsked, seconds(since: citationAsked) >= Self.citationSeconds {
        self.citationAsked = nil
      }
      return []
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

  private mutating func press(_ key: TimerKey) -> [Effect] {
    switch overlay {
    case .transition: return pressInTransition(key)
    case .paywall:
      overlay = nil
      return []
    case nil: break
    }
    if next != nil, !Self.stayingKeys.contains(key) {
      setAside = []
      completion = nil
      machine.follow(snapshot.open)
      return []
    }
    guard case .letter(let letter) = key else { return [] }
    let isActive = machine.status.isActive
    switch letter {
    case "b" where !isActive: return [.begin]
    case "e" where isActive: return [.end]
    case "l" where isActive: return [.letGo]
    case "w": return [.water]
    case "u" where canUndo: return [.undo]
    case "c":
      if fragment != nil { citationAsked = context.now }
      return []
    case "q": return [.quit]
    default: return []
    }
  }

  private mutating func pressInTransition(_ key: TimerKey) -> [Effect] {
    switch key {
    case .letter("c"):
      overlay = FeatureGate.paywall.isOpen(for: snapshot.entitlement) ? .paywall : nil
      return [.rememberTransition]
    case .letter("m"), .escape:
      overlay = nil
      return [.rememberTransition]
    case .letter("q"): return [.rememberTransition, .quit]
    case .letter, .other: return []
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

  /// What the timer remembers of its own doing; the records come with the next `loaded`.
  private mutating func done(_ effect: Effect) {
    switch effect {
    case .begin:
      begun = context.now
      canUndo = true
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
      canUndo = true
      notice = nil
      if let shown, !shown.isInHistory {
        say("Fasts under 4 hours are kept, and left out of the history.")
      }
    case .letGo:
      setOthersAside()
      machine.abandon(at: context.now)
      canUndo = true
      notice = nil
    case .water:
      canUndo = true
      say("Noted \(context.amount(snapshot.choices.settings.quickAddMillilitres)).")
    case .undo:
      canUndo = false
      completion = nil
    case .rememberTransition, .quit: break
    }
  }

  /// Lets the screen stay with the fast that goes on, which is about to end.
  private mutating func setOthersAside() {
    let ending = active?.id
    setAside = Set(snapshot.open.map(\.id).filter { $0 != ending })
  }

  private mutating func say(_ sentence: String) {
    notice = Notice(text: sentence, until: context.now.addingTimeInterval(Self.noticeSeconds))
  }

  // MARK: - Vigil

  /// Vigil's line now, if there is one.
  var fragment: ScriptureFragment? {
    switch machine.status {
    case .idle: return vigil.idle(on: LocalDay(context.now, in: context.zone))
    case .active(let session):
      return Milestone(elapsed: session.elapsed(at: context.now))
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

/// A key, as far as the timer knows keys.
enum TimerKey: Hashable {
  /// A letter of ASCII, in lower case.
  case letter(Character)
  /// The escape key alone.
  case escape
  /// Any other: a digit, an arrow, a letter of another alphabet.
  case other
}

/// Reads keys out of a terminal's bytes. A control sequence is one key, in however many pieces it
/// comes.
struct TimerKeys {
  private enum State {
    case ground
    /// After an escape that may be a key, or begin a sequence.
    case escape
    /// After the escape key. What still follows is no letters that somebody typed.
    case late
    case sequence
    case oneMore
  }

  private var state = State.ground

  /// Milliseconds without a byte after which an escape was the escape key: more than a network
  /// takes between two halves of a sequence.
  static let escapeMilliseconds = 300

  /// Whether an escape waits for what follows, or for `settle`.
  var isUndecided: Bool { state == .escape }

  /// Takes bytes as they come.
  mutating func receive(_ bytes: some Sequence<UInt8>) -> [TimerKey] {
    bytes.compactMap { receive($0) }
  }

  /// Nothing followed for `escapeMilliseconds`.
  mutating func settle() -> [TimerKey] {
    guard isUndecided else { return [] }
    state = .late
    return [.escape]
  }

  private mutating func receive(_ byte: UInt8) -> TimerKey? {
    switch (state, byte) {
    case (.escape, 0x1B): return .escape
    case (.sequence, 0x1B), (.ground, 0x1B), (.late, 0x1B):
      state = .escape
      return nil
    case (.escape, UInt8(ascii: "[")), (.late, UInt8(ascii: "[")):
      state = .sequence
      return nil
    // Linux's own console sends `ESC [ [ E` for F5.
    case (.escape, UInt8(ascii: "O")), (.late, UInt8(ascii: "O")), (.sequence, UInt8(ascii: "[")):
      state = .oneMore
      return nil
    // ECMA-48, section 5.4: a final byte ends a sequence.
    case (.sequence, 0x40...0x7E), (.oneMore, _), (.escape, _):
      state = .ground
      return .other
    case (.sequence, _): return nil
    case (.ground, _), (.late, _):
      state = .ground
      return Self.key(byte)
    }
  }

  private static func key(_ byte: UInt8) -> TimerKey? {
    switch byte {
    case 0x41...0x5A, 0x61...0x7A: .letter(Character(UnicodeScalar(byte | 0x20)))
    case 0x80...0xBF: nil  // The rest of a character of UTF-8.
    default: .other
    }
  }
}
