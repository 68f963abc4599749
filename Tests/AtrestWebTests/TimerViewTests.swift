// SPDX-License-Identifier: Apache-2.0
// Specifies what the timer shows of a fast that ended on its page, whatever happens elsewhere.

import AtrestDomain
import Testing

@testable import AtrestWeb

@Suite("A timer in a browser", .timeLimit(.minutes(20)))
struct TimerViewTests {
  private let page = WebPage()
  private let hour = 3_600_000

  /// Begins a fast, and ends it hours later. Its id.
  private func fast(hours: Int) throws -> String {
    let id = try #require(try page.act("fast.start")["id"]?.text)
    page.now += hours * hour
    try page.act("fast.complete")
    return id
  }

  private func timer(after id: String) throws -> (state: String?, action: String?) {
    let view = try page.view("timer", #"{"id":"\#(id)"}"#)
    return (
      view["state"]?.text, view["actions"]?.elements?.first?.members?["name"]?.text
    )
  }

  @Test("a fast that ended is shown, with a way to begin")
  func complete() throws {
    #expect(try timer(after: fast(hours: 17)) == ("complete", "fast.start"))
  }

  @Test("one that was deleted meanwhile is not, nor one that goes on again")
  func deleted() throws {
    let id = try fast(hours: 17)
    try page.act("undo")
    #expect(try timer(after: id) == ("fasting", "fast.complete"))
    try page.act("fast.complete")
    try page.act("fast.delete", #"{"id":"\#(id)"}"#)
    #expect(try timer(after: id) == ("idle", "fast.start"))
  }

  @Test("the next one is shown as soon as it began, wherever")
  func next() throws {
    let id = try fast(hours: 17)
    page.now += hour
    try page.act("fast.start")
    #expect(try timer(after: id) == ("fasting", "fast.complete"))
  }

  @Test("any fast that ended can be looked at and corrected, however short")
  func short() throws {
    let id = try fast(hours: 2)
    let view = try page.view("tree", #"{"id":"\#(id)"}"#)
    #expect(view["fast"]?.members?["end"]?.number != nil)
    #expect(view["svg"] == nil)
    try page.act("fast.edit", #"{"id":"\#(id)","start":\#(page.now - 17 * hour)}"#)
    #expect(try page.view("tree", #"{"id":"\#(id)"}"#)["svg"] != nil)
  }

  @Test(
    "a start before 1970 or beyond all calendars is refused in words", arguments: [-1, 1 << 50])
  func oddTimes(at: Int) throws {
    let refusal = try #require(throws: WebRefusal.self) {
      try page.act("fast.start", #"{"at":\#(at)}"#)
    }
    #expect(!refusal.title.contains("do not fit"))
  }
}
