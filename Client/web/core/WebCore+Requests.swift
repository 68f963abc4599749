// SPDX-License-Identifier: Apache-2.0
// Takes a request of the shell apart, and puts its answer together. Any bytes are safe.

import AtrestDomain
import AtrestReplication

extension WebCore {
  /// What a request leads to, besides rows.
  struct Answer {
    var members: [JSON.Member] = []
    /// Messages for the server, or a file for the person.
    var messages: [[UInt8]] = []

    static func result(_ json: JSON) -> Answer {
      Answer(members: [JSON.Member("result", json)])
    }
  }

  /// Answers a request: JSON, then bytes that belong to it.
  ///
  /// - Returns: JSON, then the bytes of the rows to store, then messages. Never fails: the JSON
  ///   tells an error.
  package func answer(_ parts: [[UInt8]]) -> [[UInt8]] {
    do throws(CoreFailure) {
      let answer = try carryOut(parts)
      let delta = takeDelta()
      let rows = delta.stored
      let members =
        answer.members + [
          JSON.Member("put", rows.isEmpty ? nil : .array(rows.map { .text($0.key) })),
          JSON.Member(
            "remove", delta.removed.isEmpty ? nil : .array(delta.removed.map { .text($0) })),
        ]
      return [JSON.object(members).utf8] + rows.map { $0.bytes } + answer.messages
    } catch {
      return [JSON.members(("error", error.json)).utf8]
    }
  }

  private func carryOut(_ parts: [[UInt8]]) throws(CoreFailure) -> Answer {
    guard let first = parts.first, let json = StrictJSON(first) else {
      throw .misuse("a request is not JSON")
    }
    let request = try Arguments(json)
    let name = try request.text("name") ?? ""
    let argument = try request.object("argument")
    let bytes = Array(parts.dropFirst())
    guard let now = try request.time("now") else { throw .misuse("a request has no time") }
    switch try request.text("do") {
    case "open": return .result(try open(request, argument, bytes))
    case "view" where name == "export": return try export(now)
    case "view" where name == "import":
      return .result(try preview(argument, bytes.first ?? [], now))
    case "act" where name == "purchase":
      return .result(try keepPurchase(bytes.first ?? [], now))
    case "act" where name == "import":
      return .result(try importFile(argument, bytes.first ?? [], now))
    case "view": return .result(try view(name, argument, now))
    case "act": return .result(try act(name, argument, now))
    case "call": return try call(name, argument, bytes.first ?? [], now)
    case "answer":
      let file = bytes.count > 1 ? bytes[1] : []
      return .result(try answer(name, argument, bytes.first ?? [], file, now))
    case "failure":
      return .result(CoreFailure(try failure(argument, details: bytes.first)).json)
    case "sync.begin": return try beginSync(argument, now)
    case "sync.event": return try tellSync(argument, bytes, now)
    default: throw .misuse("a request is unknown")
    }
  }

  private func open(
    _ request: Arguments, _ argument: Arguments, _ bytes: [[UInt8]]
  ) throws(CoreFailure) -> JSON {
    guard let app = try request.text("app").flatMap(WebApp.init(rawValue:)) else {
      throw .misuse("the app is unknown")
    }
    environment = try WebEnvironment(argument)
    if let language = try argument.text("language") { Language.choose(Language(locale: language)) }
    guard bytes.count.isMultiple(of: 2) else { throw .misuse("a row is incomplete") }
    var rows: [(key: String, bytes: [UInt8])] = []
    rows.reserveCapacity(bytes.count / 2)
    for index in stride(from: 0, to: bytes.count, by: 2) {
      guard let key = String(validating: bytes[index], as: UTF8.self) else { throw .damaged }
      rows.append((key, bytes[index + 1]))
    }
    return .members(("fresh", .bool(try open(rows, of: app))))
  }
}

extension WebEnvironment {
  /// `zone` has the offset before all and then each change, from the earliest.
  init(_ argument: Arguments) throws(CoreFailure) {
    let minutes = Int64(-ZoneOffsets.limitSeconds / 60)...Int64(ZoneOffsets.limitSeconds / 60)
    var changes: [ZoneOffsets.Transition] = []
    for element in try argument.elements("zone") {
      let change = try Arguments(element)
      let from = try change.required(change.number("from", -1 << 50...1 << 50))
      let offset = try change.required(change.number("offset", minutes))
      changes.append(ZoneOffsets.Transition(second: from / 1000, offset: Int(offset) * 60))
    }
    let first = changes.first?.offset ?? 0
    guard let zone = ZoneOffsets(first: first, transitions: Array(changes.dropFirst())) else {
      throw .misuse("the zone's changes are not in order")
    }
    self.zone = zone
    if let day = try argument.number("firstWeekday", 1...7).flatMap({ Weekday(rawValue: Int($0)) })
    {
      firstWeekday = day
    }
  }
}
