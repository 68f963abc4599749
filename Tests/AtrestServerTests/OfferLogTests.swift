// SPDX-License-Identifier: Apache-2.0
// The server's position in a device's outbox: each number is judged once, and copies are detected.

import AtrestReplication
import AtrestTestSupport
import AtrestWire
import Testing

@testable import AtrestServer

@Suite(.timeLimit(.minutes(20))) final class OfferLogTests: TwoDevices {
  private func outbox(_ device: ReplicaID = phone) throws -> DeviceOutbox {
    try store.transaction { t throws(StoreError) in try t.devices.outbox(of: kim[device]) }
  }

  private func stored() throws -> [Record] {
    try store.exchange(kim, request(), by: tablet).decodedRecords
  }

  private func journal() throws -> [Record] {
    try stored().filter { $0.key.kind == .conflict }
  }

  // MARK: Continuing from a position

  @Test("a device goes on from the position that it was told, and hears of the new one")
  func goesOn() throws {
    let first = try store.exchange(kim, segment([offer(water(1))], from: 1, token: 10))
    #expect(first.takenThrough == position(1, 10))
    let second = try store.exchange(
      kim, segment([offer(water(2)), offer(water(3))], from: 2, token: 11, confirmed: 10))
    #expect(second.takenThrough == position(3, 11) && second.refusals.isEmpty)
    // Numbers may be skipped, and several requests may use one token.
    var third = segment([offer(water(4)), offer(water(5))], from: 4, token: 11, confirmed: 11)
    third.segment?.numbers = [7, 9]
    #expect(try store.exchange(kim, third).takenThrough == position(9, 11))
    #expect(try stored().count == 5)
  }

  @Test("a server that is before what the device was told judges nothing, even under a known token")
  func wentBack() throws {
    let early = segment([offer(water(3))], from: 3, token: 10, confirmed: 10, told: 2)
    let new = try store.exchange(kim, early)
    #expect(new.takenThrough == .start && new.refusals.isEmpty)
    _ = try store.exchange(kim, segment([offer(water(1))], from: 1, token: 10))
    #expect(try store.exchange(kim, early).takenThrough == position(1, 10))
    #expect(try stored().count == 1)
    let missed = segment(
      [offer(water(2)), offer(water(3))], from: 2, token: 10, confirmed: 10, told: 1)
    #expect(try store.exchange(kim, missed).takenThrough == position(3, 10))
    #expect(try stored().count == 3)
  }

  @Test("a segment without offers asks for the position, and moves nothing")
  func asks() throws {
    _ = try store.exchange(kim, segment([offer(water(1))], from: 1, token: 10))
    for (confirmed, told) in [(10, 1), (10, 5), (9, 1)] as [(UInt64, UInt64)] {
      let question = segment([], from: 2, token: 12, confirmed: confirmed, told: told)
      #expect(try store.exchange(kim, question).takenThrough == position(1, 10))
    }
  }

  @Test("a number that was judged before is not judged again; what is new beside it is")
  func partlyKnown() throws {
    _ = try store.exchange(kim, segment([offer(water(1))], from: 1, token: 10))
    // A different value under a judged number is ignored.
    let offers = [offer(water(1, millilitres: 900, at: noon + 50)), offer(water(2))]
    let answer = try store.exchange(kim, segment(offers, from: 1, token: 10))
    #expect(answer.takenThrough == position(2, 10) && answer.refusals.isEmpty)
    #expect(try stored() == [water(1), water(2)])
  }

  @Test("a request that is repeated is answered as before, and writes nothing")
  func repeated() throws {
    let push = segment([offer(water(1)), [0xFF]], from: 1, token: 10)
    let first = try store.exchange(kim, push)
    let again = try store.exchange(kim, push, at: noon + 1000)
    #expect(again.takenThrough == first.takenThrough && again.head == first.head)
    #expect(again.refusals.map(\.index) == [1] && again.refusals.map(\.reason) == [.invalid])
    #expect(again.superseded.isEmpty)
    // Accepted records are in the feed, in their current form.
    #expect(again.records == [water(1).encoded])
  }

  @Test("a lost answer leaves nothing in the journal, though another device edits twice meanwhile")
  func lostAnswer() throws {
    let push = segment([offer(water(1))], from: 1, token: 10)
    _ = try store.exchange(kim, push)
    // The tablet knew the replaced value both times.
    let edit = water(1, millilitres: 300, at: noon + 10, by: tablet, replacing: stamp(noon, phone))
    let last = water(
      1, millilitres: 400, at: noon + 20, by: tablet, replacing: stamp(noon + 10, tablet))
    for record in [edit, last] { _ = try store.exchange(kim, request(nil, record), by: tablet) }
    let again = try store.exchange(kim, push)
    #expect(again.refusals.isEmpty && again.superseded.isEmpty)
    #expect(try again.decodedRecords == [last])
    #expect(try stored() == [last])
    // Without a number, the phone's write is one that the server had and judged before.
    _ = try store.exchange(kim, request(nil, water(1)))
    #expect(try journal().isEmpty)
  }

  @Test("an older request that arrives late moves nothing back")
  func late() throws {
    let first = segment([offer(water(1))], from: 1, token: 10)
    _ = try store.exchange(kim, first)
    _ = try store.exchange(kim, segment([offer(water(2))], from: 2, token: 11, confirmed: 10))
    #expect(try store.exchange(kim, first).takenThrough == position(2, 11))
    let next = segment([offer(water(3))], from: 3, token: 12, confirmed: 11)
    #expect(try store.exchange(kim, next).takenThrough == position(3, 12))
  }

  // MARK: Refusals

  @Test("a refusal is said again for the same reason, though the offer would be taken by now")
  func refusedAgain() throws {
    let ahead = offer(water(1, at: noon + 100_000))
    let push = segment([ahead, [0xFF], offer(water(2))], from: 1, token: 10)
    let first = try store.exchange(kim, push)
    #expect(first.refusals.map(\.reason) == [.clockSkew, .invalid])
    #expect(first.takenThrough == position(3, 10))
    let again = try store.exchange(kim, push, at: noon + 100_000)
    #expect(again.refusals.map(\.index) == [0, 1])
    #expect(again.refusals.map(\.reason) == [.clockSkew, .invalid])
    #expect(again.refusals.allSatisfy { !$0.message.isEmpty })
    #expect(try stored() == [water(2)])
    // Under a new number it is judged again.
    let anew = segment([ahead], from: 4, token: 11, confirmed: 10, settled: 3)
    #expect(try store.exchange(kim, anew, at: noon + 100_000).refusals.isEmpty)
    #expect(try stored().count == 2)
  }

  @Test("a refusal is forgotten once the device has settled it")
  func settled() throws {
    _ = try store.exchange(kim, segment([[0xFF], [0xFF]], from: 1, token: 10))
    #expect(try outbox().refusals.map(\.number) == [1, 2])
    _ = try store.exchange(
      kim, segment([offer(water(3)), [0xFF]], from: 3, token: 11, confirmed: 10, settled: 1))
    #expect(try outbox().refusals.map(\.number) == [2, 4])
    _ = try store.exchange(
      kim, segment([offer(water(5))], from: 5, token: 12, confirmed: 11, settled: 4))
    #expect(try outbox() == DeviceOutbox(takenThrough: position(5, 12), refusals: []))
  }

  @Test("a device that settles nothing is not read on from a bound; once it settles, it is")
  func boundedRefusals() throws {
    let page = [[UInt8]](repeating: [0xFF], count: Page.records)
    var next: UInt64 = 1
    while try outbox().refusals.count <= DeviceOutbox.refusalLimit {
      let answer = try store.exchange(kim, segment(page, from: next, token: 10))
      #expect(answer.refusals.count == page.count)
      next += UInt64(page.count)
    }
    let before = try outbox()
    #expect(before.refusals.count <= DeviceOutbox.refusalLimit + Page.records)
    let beyond = try store.exchange(kim, segment([offer(water(1))], from: next, token: 10))
    #expect(beyond.takenThrough == before.takenThrough && beyond.refusals.isEmpty)
    #expect(try stored().isEmpty)
    #expect(try outbox() == before)
    // The refusal is repeated.
    let again = try store.exchange(kim, segment([[0xFF]], from: 1, token: 10))
    #expect(again.refusals.map(\.reason) == [.invalid])
    _ = try store.exchange(
      kim, segment([offer(water(1))], from: next, token: 10, settled: next - 1))
    #expect(try stored() == [water(1)])
  }

  @Test("deletions that were withheld stay refused under their numbers, and new numbers are asked")
  func massDeletion() throws {
    _ = try store.exchange(
      kim, ExchangeRequest(cursor: nil, offers: (0..<20).map { offer(water($0)) }))
    let deletions = (0..<11).map { deletion(deleted($0)) }
    var push = segment(deletions, from: 1, token: 10)
    #expect(try store.exchange(kim, push, at: noon + 1000).refusals.count == 11)
    push.allowsMassDeletion = true
    let again = try store.exchange(kim, push, at: noon + 1000)
    #expect(again.refusals.map(\.reason) == Array(repeating: .massDeletion, count: 11))
    var anew = segment(deletions, from: 12, token: 11, confirmed: 10, settled: 11)
    anew.allowsMassDeletion = true
    #expect(try store.exchange(kim, anew, at: noon + 1000).refusals.isEmpty)
  }

  @Test("deletions that were taken before are not counted again")
  func countedOnce() throws {
    _ = try store.exchange(
      kim, ExchangeRequest(cursor: nil, offers: (0..<20).map { offer(water($0)) }))
    let deletions = (0..<11).map { deletion(deleted($0)) }
    let push = segment(Array(deletions.prefix(10)), from: 1, token: 10)
    #expect(try store.exchange(kim, push, at: noon + 1000).refusals.isEmpty)
    // The response is lost, and the tablet restores the records.
    for number in 0..<10 {
      let back = water(
        number, at: noon + 2000, by: tablet, replacing: stamp(noon + 1000, phone))
      _ = try store.exchange(kim, request(nil, back), by: tablet, at: noon + 2000)
    }
    let more = try store.exchange(
      kim, segment(deletions, from: 1, token: 10), at: noon + 3000)
    #expect(more.refusals.isEmpty)
    #expect(try stored().filter(\.isDeleted).count == 1)
  }

  // MARK: Copies, and servers that were restored

  @Test("of two that go on from one copy the second is not looked at, learns where, and receives")
  func copy() throws {
    _ = try store.exchange(kim, segment([offer(water(1))], from: 1, token: 10))
    _ = try store.exchange(kim, segment([offer(water(2))], from: 2, token: 11, confirmed: 10))
    let before = try outbox()
    // The copy assigns the same numbers to other offers. One of them is undecodable.
    let copy = segment(
      [offer(water(3)), offer(water(4)), [0xFF]], from: 2, token: 12, confirmed: 10, settled: 1)
    for _ in 0..<2 {
      let answer = try store.exchange(kim, copy)
      #expect(answer.takenThrough == position(2, 11), "a token that the copy never drew")
      #expect(answer.refusals.isEmpty && answer.superseded.isEmpty)
      #expect(answer.records == [water(1).encoded, water(2).encoded])
      #expect(!answer.restarted && answer.head.sequence == 2)
    }
    #expect(try outbox() == before)
    #expect(try stored() == [water(1), water(2)])
    let goesOn = segment([offer(water(5))], from: 3, token: 13, confirmed: 11, settled: 2)
    #expect(try store.exchange(kim, goesOn).takenThrough == position(3, 13))
  }

  @Test("a copy's deletions ask nobody: they are not looked at either")
  func copyThatDeletes() throws {
    _ = try store.exchange(
      kim, segment((0..<20).map { offer(water($0)) }, from: 1, token: 10))
    let deletions = (0..<20).map { deletion(deleted($0)) }
    let answer = try store.exchange(
      kim, segment(deletions, from: 21, token: 12, confirmed: 9), at: noon + 1000)
    #expect(answer.refusals.isEmpty && answer.takenThrough == position(20, 10))
  }

  @Test("a server that went back is gone on from, once the device knows its position again")
  func serverWentBack() throws {
    _ = try store.exchange(kim, segment([offer(water(1))], from: 1, token: 10))
    // The server's earlier state gave the device a position beyond this one.
    let offers = (5...6).map { offer(water($0)) }
    let first = try store.exchange(kim, segment(offers, from: 5, token: 21, confirmed: 20))
    #expect(first.takenThrough == position(1, 10))
    #expect(try stored() == [water(1)])
    // The device drew token 10 when it had assigned number 1. It offers everything after that, in
    // order.
    let all = segment((2...6).map { offer(water($0)) }, from: 2, token: 21, confirmed: 10)
    #expect(try store.exchange(kim, all).takenThrough == position(6, 21))
    #expect(try stored() == (1...6).map { water($0) })
  }

  @Test("whoever is restarted is read on, if it goes on from the position")
  func restarted() throws {
    _ = try store.exchange(kim, segment([offer(water(1))], from: 1, token: 10))
    let elsewhere = Cursor(commit: 5, sequence: 9)
    let answer = try store.exchange(
      kim,
      segment([offer(water(2))], from: 2, token: 11, confirmed: 10, cursor: elsewhere))
    #expect(answer.restarted && answer.takenThrough == position(2, 11))
    // `restarted` does not exempt a copy.
    let copy = try store.exchange(
      kim, segment([offer(water(3))], from: 2, token: 12, confirmed: 10, cursor: elsewhere))
    #expect(copy.restarted && copy.takenThrough == position(2, 11))
    #expect(try stored() == [water(1), water(2)])
  }

  // MARK: What advances the position

  @Test("a request without a segment is judged as it is, and moves nothing")
  func withoutSegment() throws {
    _ = try store.exchange(kim, segment([offer(water(1))], from: 1, token: 10))
    let answer = try store.exchange(kim, request(nil, water(2)))
    #expect(answer.takenThrough == nil && answer.refusals.isEmpty)
    #expect(try outbox().takenThrough == position(1, 10))
    #expect(try stored().count == 2)
  }

  @Test("a segment without offers asks for the position, and moves nothing")
  func withoutOffers() throws {
    #expect(try store.exchange(kim, segment([], from: 1, token: 3)).takenThrough == .start)
    #expect(try outbox() == .empty)
    _ = try store.exchange(kim, segment([[0xFF]], from: 1, token: 10))
    let before = try outbox()
    for token: UInt64 in [3, 10] {
      let answer = try store.exchange(kim, segment([], from: 1, token: token, settled: 1))
      #expect(answer.takenThrough == position(1, 10))
      #expect(try outbox() == before)
    }
  }

  @Test("outboxes are each device's own, and outlive a restart")
  func ofEachDevice() throws {
    _ = try store.exchange(kim, segment([[0xFF]], from: 1, token: 10))
    let other = try store.exchange(
      kim, segment([offer(water(2, by: tablet))], from: 1, token: 20), by: tablet)
    #expect(other.takenThrough == position(1, 20) && other.refusals.isEmpty)
    store.close()
    let again = try openStore(folder)
    defer { again.close() }
    let repeated = try again.exchange(kim, segment([offer(water(1))], from: 1, token: 10))
    #expect(repeated.refusals.map(\.reason) == [.invalid])
    let copy = try again.exchange(
      kim, segment([offer(water(3))], from: 2, token: 21, confirmed: 20))
    #expect(copy.takenThrough == position(1, 10))
    let goesOn = try again.exchange(
      kim, segment([offer(water(3))], from: 2, token: 21, confirmed: 20), by: tablet)
    #expect(goesOn.takenThrough == position(2, 21))
  }

  @Test("the position moves with the offers or not at all", arguments: [true, false])
  func atomic(isCommitted: Bool) throws {
    let push = segment([offer(water(1)), [0xFF]], from: 1, token: 10)
    let (account, prepared) = (kim, PreparedExchange(push))
    try? store.transaction { t throws(StoreError) in
      let feed = try AccountFeed(
        account: account, in: t, commit: 42, at: WallTime(milliseconds: noon))
      _ = try Exchange.run(
        prepared, device: phone, feed: feed, now: WallTime(milliseconds: noon))
      try feed.finish()
      if !isCommitted { throw .failed(reason: "on purpose") }
    }
    #expect(try outbox().takenThrough == (isCommitted ? position(2, 10) : .start))
    #expect(try outbox().refusals.count == (isCommitted ? 1 : 0))
    #expect(try stored().count == (isCommitted ? 1 : 0))
    // Repeating it returns the same response either way.
    let again = try store.exchange(kim, push)
    #expect(again.takenThrough == position(2, 10) && again.refusals.map(\.index) == [1])
    #expect(try stored() == [water(1)])
  }

  @Test("two requests of one commit follow each other")
  func sameCommit() throws {
    let prepared = [
      segment([offer(water(1))], from: 1, token: 10),
      segment([offer(water(1)), offer(water(2))], from: 1, token: 10),
      segment([offer(water(3))], from: 2, token: 12, confirmed: 9),
    ].map { PreparedExchange($0) }
    let account = kim
    let answers = try store.transaction { t throws(StoreError) in
      let feed = try AccountFeed(
        account: account, in: t, commit: 42, at: WallTime(milliseconds: noon))
      var answers: [ExchangeResponse] = []
      for request in prepared {
        answers.append(
          try Exchange.run(
            request, device: phone, feed: feed, now: WallTime(milliseconds: noon)))
      }
      try feed.finish()
      return answers
    }
    #expect(answers.map(\.takenThrough) == [position(1, 10), position(2, 10), position(2, 10)])
    #expect(try stored() == [water(1), water(2)])
  }
}
