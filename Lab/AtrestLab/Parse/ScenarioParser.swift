// SPDX-License-Identifier: Apache-2.0
// Parses a scenario: head, devices and steps in order.

import AtrestDomain
import AtrestFoundation
import AtrestReplication
import Foundation

extension Scenario {
  /// Parses a scenario.
  ///
  /// - Parameters:
  ///   - text: YAML, at most 1 MiB.
  ///   - file: The file's name in errors.
  /// - Throws: `ScenarioError` for the first error.
  package init(parsing text: String, file: String) throws(ScenarioError) {
    var parser = ScenarioParser(root: try Part(document: text, file: file))
    self = try parser.scenario()
  }
}

/// Tracks which devices and records exist at each step.
struct ScenarioParser {
  let root: Part
  private var zoneOfClocks = TimeZone.gmt
  var around = Around(start: .epoch, now: .epoch, zone: .utc)
  var devices: [String] = []
  var records: [String: Kind] = [:]
  /// Devices, and possibly the server, of which a copy was put aside.
  var backups: Set<Scenario.Machine> = []

  /// Kinds of named records.
  enum Kind {
    case fast, water, sprout, leaf, node

    var noun: String {
      switch self {
      case .fast: "a fast"
      case .water: "water"
      case .sprout: "a sprout"
      case .leaf: "a leaf"
      case .node: "a part of the tree"
      }
    }
  }

  /// The default delay of a step after the previous one, in seconds.
  static let pause = Milliseconds.perMinute

  /// Reserved words, which cannot be device names.
  static let reserved: Set<String> = [
    "at", "all", "server", "sync", "offline", "online", "copy", "back up", "put back", "restart",
    "pair", "wait", "expect", "fails", "allow mass deletion",
  ]

  init(root: Part) {
    self.root = root
  }

  mutating func scenario() throws(ScenarioError) -> Scenario {
    let parts = try root.pairs(
      "a scenario", keys: ["scenario", "about", "start", "zone", "devices", "steps"])
    func required(_ key: String) throws(ScenarioError) -> Part {
      guard let part = parts[key] else {
        throw root.error("expected a scenario with `\(key)`, found none")
      }
      return part
    }
    let title = try required("scenario")
    let name = try title.text("a name for the scenario")
    guard name.count <= 100, name.unicodeScalars.allSatisfy(Part.isPlain) else {
      throw title.expected("a name of at most 100 characters in one line")
    }
    if let part = parts["zone"] {
      guard case .text(let text) = part.content, let zone = TimeZone(identifier: text) else {
        throw part.expected("a time zone such as Europe/Berlin")
      }
      zoneOfClocks = zone
      around.zone = ZoneOffsets(zone)
    }
    around.start = try start(required("start"))
    around.now = around.start
    var scenario = Scenario(
      name: name, about: try parts["about"]?.text("some words") ?? "", start: around.start,
      zone: zoneOfClocks, devices: try setups(required("devices")), steps: [])
    let list = try required("steps")
    guard case .list(let steps) = list.content else { throw list.expected("a list of steps") }
    guard steps.count <= Scenario.Limits.steps else {
      throw list.error("expected at most \(Scenario.Limits.steps) steps, found \(steps.count)")
    }
    var isFirst = true
    for part in steps {
      scenario.steps.append(try step(part, isFirst: isFirst))
      isFirst = false
    }
    return scenario
  }

  private func start(_ part: Part) throws(ScenarioError) -> WallTime {
    let problem = part.expected("a date and a time such as 2026-03-02T20:00")
    guard case .text(let text) = part.content, text.count >= 16,
      let date = Around(start: .epoch, now: .epoch, zone: around.zone).date(text)
    else { throw problem }
    let years = LocalDay(date, in: around.zone).parts.year
    guard (1971...2200).contains(years) else { throw problem }
    return date
  }

  private mutating func setups(_ part: Part) throws(ScenarioError) -> [Scenario.Setup] {
    var setups: [Scenario.Setup] = []
    switch part.content {
    case .list(let names):
      for name in names { setups.append(Scenario.Setup(name: try newDevice(name))) }
    case .pairs(let pairs):
      for (key, value) in pairs {
        var setup = Scenario.Setup(name: try newDevice(key))
        let options = try value.pairs("a device", keys: ["clock", "paired"])
        setup.clock = try options["clock"]?.clock(around) ?? .none
        setup.isPaired = try options["paired"]?.flag() ?? true
        setups.append(setup)
      }
    case .text:
      throw part.expected("devices such as [phone, tablet]")
    }
    guard !setups.isEmpty else { throw part.error("expected at least one device, found none") }
    return setups
  }

  /// The name of a new device.
  mutating func newDevice(_ part: Part) throws(ScenarioError) -> String {
    let name = try part.name("a device's name")
    guard !Self.reserved.contains(name) else {
      throw part.error("“\(name)” has a meaning of its own; call the device something else")
    }
    guard !devices.contains(name) else {
      throw part.error("there is a device “\(name)” already; call this one something else")
    }
    guard devices.count < Scenario.Limits.devices else {
      throw part.error("expected at most \(Scenario.Limits.devices) devices, found more")
    }
    devices.append(name)
    return name
  }

  /// The name of an existing device.
  func device(_ part: Part) throws(ScenarioError) -> String {
    let name = try part.text("the name of a device")
    guard devices.contains(name) else {
      throw part.expected("a device (\(devices.joined(separator: ", ")))")
    }
    return name
  }

  /// One device, several, or `all`.
  func someDevices(_ part: Part) throws(ScenarioError) -> [String] {
    switch part.content {
    case .text("all"): return devices
    case .text: return [try device(part)]
    case .list(let parts):
      var names: [String] = []
      for part in parts { names.append(try device(part)) }
      guard names.count <= 64 else { throw part.error("expected at most 64 names, found more") }
      return names
    case .pairs: throw part.expected("devices such as [phone, tablet]")
    }
  }

  // MARK: - Steps

  private mutating func step(_ part: Part, isFirst: Bool) throws(ScenarioError) -> Scenario.Step {
    let pairs = try part.pairs("a step such as `sync: [phone, tablet]`")
    let extras = ["at", "fails", "allow mass deletion"]
    let verbs = pairs.filter { pair in
      guard case .text(let key) = pair.key.content else { return true }
      return !extras.contains(key)
    }
    guard let (key, value) = verbs.first else {
      throw part.error("expected a step that does something, found none")
    }
    if verbs.count > 1 {
      throw verbs[1].key.error(
        "expected one thing a step, found \(key.found) and \(verbs[1].key.found)")
    }
    let options = Dictionary(
      pairs.compactMap { pair in
        if case .text(let key) = pair.key.content, extras.contains(key) {
          (key, pair.value)
        } else {
          nil
        }
      }
    ) { first, _ in first }
    let word = try key.text("what happens")
    if word != "sync", let extra = options["allow mass deletion"] { throw Self.misplaced(extra) }
    if word != "sync", !devices.contains(word), let extra = options["fails"] {
      throw Self.misplaced(extra)
    }
    try advance(to: options["at"], isFirst: isFirst, wait: word == "wait" ? value : nil)
    let action = try action(word, key, value, options)
    return Scenario.Step(line: key.line, at: around.now, action: action)
  }

  static func misplaced(_ part: Part) -> ScenarioError {
    part.error(
      "`fails` and `allow mass deletion` belong to `sync`, and `fails` to what is done in a garden")
  }

  /// Advances to the time of a step.
  private mutating func advance(
    to part: Part?, isFirst: Bool, wait: Part?
  ) throws(ScenarioError) {
    if let part {
      var time = try part.moment(around)
      if case .text(let text) = part.content, text.utf8.count <= 8, !text.hasPrefix("+"),
        time < around.now
      {
        // A bare clock time means its next occurrence here.
        time = time.advanced(by: Milliseconds.perDay)
      }
      guard time >= around.now else {
        throw part.error("expected a time after the step before, found \(part.found)")
      }
      around.now = time
    } else if let wait {
      around.now = around.now.advanced(by: try wait.duration())
    } else if !isFirst {
      around.now = around.now.advanced(by: Self.pause)
    }
    let years = Int64(Scenario.Limits.years) * 365 * Milliseconds.perDay
    guard around.now.milliseconds(since: around.start) <= years else {
      throw (part ?? wait ?? root).error(
        "a scenario ends within \(Scenario.Limits.years) years of its start")
    }
  }

  private mutating func action(
    _ word: String, _ key: Part, _ value: Part, _ options: [String: Part]
  ) throws(ScenarioError) -> Scenario.Action {
    switch word {
    case "sync":
      var failure: Scenario.SyncFailure?
      if let part = options["fails"] {
        guard case .text(let text) = part.content,
          let known = Scenario.SyncFailure(rawValue: text)
        else {
          let names = Scenario.SyncFailure.allCases.map(\.rawValue).joined(separator: ", ")
          throw part.expected("how a sync can fail (\(names))")
        }
        failure = known
      }
      return .sync(
        devices: try someDevices(value),
        allowsMassDeletion: try options["allow mass deletion"]?.flag() ?? false, fails: failure)
    case "offline", "online":
      return .network(devices: try someDevices(value), isOnline: word == "online")
    case "copy":
      let parts = try value.pairs("a copy", keys: ["from", "to"])
      guard let from = parts["from"], let to = parts["to"] else {
        throw value.expected("a copy such as `{from: laptop, to: clone}`")
      }
      return .copy(from: try device(from), to: try newDevice(to))
    case "back up":
      let place = try place(value)
      backups.insert(place)
      return .backUp(place)
    case "put back":
      let place = try place(value)
      guard backups.contains(place) else {
        throw value.error("there is no copy of \(value.found) to put back; `back up` makes one")
      }
      return .putBack(place)
    case "restart":
      guard case .text("server") = value.content else { throw value.expected("`server`") }
      return .restartServer
    case "pair":
      let name = try device(value)
      return .pair(device: name)
    case "wait":
      return .wait
    case "expect":
      return .expect(try expectation(value))
    default:
      guard devices.contains(word) else {
        throw key.expected("a device (\(devices.joined(separator: ", "))) or a step such as `sync`")
      }
      return try deviceAction(word, value, fails: options["fails"])
    }
  }

  private func place(_ part: Part) throws(ScenarioError) -> Scenario.Machine {
    if case .text("server") = part.content { return .server }
    return .device(try device(part))
  }
}
