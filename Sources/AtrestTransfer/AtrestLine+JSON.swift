// SPDX-License-Identifier: Apache-2.0
// Encodes a record's line as JSON with its members in order, and decodes it.

import AtrestDomain

extension AtrestLine {
  /// The line. Members are sorted by name.
  var encoded: [UInt8] {
    var line = JSONObject()
    line.add("fields", encoded: fields)
    line.add("id", id)
    line.add("id_base64", idBytes)
    if let intake {
      var object = JSONObject()
      object.add("at", intake.at)
      object.add("millilitres", intake.millilitres)
      line.add("intake", object)
    }
    line.add("kind", kind)
    line.add("kind_number", kindNumber.map { Int64($0) })
    line.add("raw", raw.map { JSONObject($0) })
    line.add("signed_transaction", signedTransaction)
    if let span {
      var object = JSONObject()
      object.add("end", span.end)
      object.add("outcome", span.outcome)
      object.add("start", span.start)
      line.add("span", object)
    }
    line.add("stamps", stamps.map { JSONObject($0) })
    line.add("target_minutes", targetMinutes)
    line.add("value", value)
    return line.utf8
  }

  /// Decodes a line; nil if a member is missing or of another type. Unknown members are ignored.
  init?(_ bytes: [UInt8]) {
    guard let members = StrictJSON(bytes)?.members, let kind = members["kind"]?.text else {
      return nil
    }
    self.kind = kind
    var reader = MemberReader(members: members)
    if let number = reader.number("kind_number") {
      guard let number = UInt32(exactly: number) else { return nil }
      kindNumber = number
    }
    id = reader.text("id")
    idBytes = reader.text("id_base64")
    value = reader.text("value")
    signedTransaction = reader.text("signed_transaction")
    targetMinutes = reader.whole("target_minutes")
    raw = reader.texts("raw")
    stamps = reader.texts("stamps")
    if let object = reader.object("span") {
      var inner = MemberReader(members: object)
      guard let start = inner.text("start"), let outcome = inner.text("outcome") else { return nil }
      span = Span(start: start, end: inner.text("end"), outcome: outcome)
      guard !inner.hasFailed else { return nil }
    }
    if let object = reader.object("intake") {
      var inner = MemberReader(members: object)
      guard let at = inner.text("at"), let millilitres = inner.whole("millilitres") else {
        return nil
      }
      intake = Intake(at: at, millilitres: millilitres)
    }
    guard !reader.hasFailed else { return nil }
  }
}

/// Reads members that may be absent or null. One of another type fails the whole.
private struct MemberReader {
  let members: [String: StrictJSON]
  private(set) var hasFailed = false

  init(members: [String: StrictJSON]) { self.members = members }

  private mutating func read<Value>(
    _ name: String, _ convert: (StrictJSON) -> Value?
  ) -> Value? {
    guard let member = members[name], member != .null else { return nil }
    let value = convert(member)
    if value == nil { hasFailed = true }
    return value
  }

  mutating func text(_ name: String) -> String? { read(name) { $0.text } }
  mutating func number(_ name: String) -> Int64? { read(name) { $0.number } }
  mutating func whole(_ name: String) -> Int? { read(name) { $0.whole } }
  mutating func object(_ name: String) -> [String: StrictJSON]? { read(name) { $0.members } }

  mutating func texts(_ name: String) -> [String: String]? {
    read(name) { member in
      guard let members = member.members else { return nil }
      var texts: [String: String] = [:]
      for (name, member) in members {
        guard let text = member.text else { return nil }
        texts[name] = text
      }
      return texts
    }
  }
}

extension StrictJSON {
  /// An integer that fits this platform's `Int`; nil for other values.
  var whole: Int? { number.flatMap { Int(exactly: $0) } }
}
