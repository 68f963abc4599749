// SPDX-License-Identifier: Apache-2.0
// What servers of one database tell each other first.

import AtrestReplication
import AtrestWire
import Testing

@testable import AtrestServer

@Suite(.timeLimit(.minutes(20))) struct WaitingNewsTests {
  private var news = WaitingNews()

  private func head(_ account: Int64, _ sequence: UInt64) -> StoreNews {
    .head(AccountID(rawValue: account), Cursor(commit: sequence, sequence: sequence))
  }

  @Test("what ends access is told first, and of an account its last head")
  mutating func order() {
    news.add([head(1, 5), .renamed(phone), head(1, 6), .revoked(tablet), .pairing("BCDF")])
    let taken = news.take()
    #expect(taken == [.revoked(tablet), .renamed(phone), .pairing("BCDF"), head(1, 6)])
    #expect(news.isEmpty)
  }

  @Test("what could not be told waits again, before what came meanwhile, and with newer heads")
  mutating func putBack() {
    news.add([head(1, 5), head(2, 1), .renamed(phone)])
    let taken = news.take()
    news.add([.renamed(tablet), head(1, 6), .revoked(tablet)])
    news.putBack(taken)
    let again = news.take()
    #expect(again.prefix(3) == [.revoked(tablet), .renamed(phone), .renamed(tablet)])
    #expect(Set(again.dropFirst(3)) == [head(1, 6), head(2, 1)])
  }

  @Test("a transaction tells a bounded number, in texts of at most 8,000 bytes")
  mutating func bounds() {
    for number in 1...25_000 {
      news.add([head(Int64(number), .max), .renamed(ReplicaID(rawValue: .max))])
    }
    var count = 0
    while !news.isEmpty {
      let taken = news.take()
      #expect(taken.count <= WaitingNews.atOnce)
      let payloads = WaitingNews.payloads(taken, from: "@7")
      for payload in payloads {
        #expect(payload.utf8.count < 8000 && payload.hasPrefix("@7;"))
      }
      #expect(payloads.flatMap { WaitingNews.read($0, unlessFrom: "@8") } == taken)
      count += taken.count
    }
    #expect(count == 50_000)
  }

  @Test("a sender does not hear itself, and nobody hears what is no news")
  func read() {
    let text = "@7;r1;x2;what;h1,2"
    #expect(WaitingNews.read(text, unlessFrom: "@7").isEmpty)
    #expect(
      WaitingNews.read(text, unlessFrom: "@8")
        == [.revoked(phone), .removed(AccountID(rawValue: 2))])
    #expect(WaitingNews.read("", unlessFrom: "@8").isEmpty)
  }
}
