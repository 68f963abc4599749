// SPDX-License-Identifier: Apache-2.0
// A page of the web app without a browser.

import AtrestDomain
import Testing

@testable import AtrestWeb

/// A request that was refused, by the first sentence of the answer.
struct WebRefusal: Error, Equatable {
  let title: String
  init(_ title: String) { self.title = title }
}

/// A page of the app: what it shows and does, and the rows that were kept.
final class WebPage {
  private let core: WebCore
  /// 20 May 2026, 12:00 UTC at first.
  var now = 1_779_278_400_000
  private(set) var rows: [String: [UInt8]] = [:]

  init() {
    var number: UInt64 = 0
    core = WebCore(random: {
      number &+= 0x9E37_79B9_7F4A_7C15
      return number
    })
    _ = try? ask("open", "", #"{"zone":[]}"#)
  }

  @discardableResult
  func act(_ name: String, _ argument: String = "{}") throws -> [String: StrictJSON] {
    try ask("act", name, argument)
  }

  @discardableResult
  func actInGarden(_ name: String, _ argument: String = "{}") throws -> [String: StrictJSON] {
    try act("garden." + name, argument)
  }

  func view(_ name: String, _ argument: String = "{}") throws -> [String: StrictJSON] {
    try ask("view", name, argument)
  }

  private func ask(
    _ what: String, _ name: String, _ argument: String
  ) throws -> [String: StrictJSON] {
    let request =
      #"{"do":"\#(what)","name":"\#(name)","app":"atrest","now":\#(now),"argument":\#(argument)}"#
    let answer = core.answer([Array(request.utf8)])
    let json = try #require(StrictJSON(answer[0])?.members)
    if let error = json["error"]?.members { throw WebRefusal(error["title"]?.text ?? "") }
    for (index, key) in (json["put"]?.elements ?? []).enumerated() {
      if let key = key.text { rows[key] = answer[1 + index] }
    }
    for key in json["remove"]?.elements ?? [] { key.text.map { rows[$0] = nil } }
    return json["result"]?.members ?? [:]
  }
}
