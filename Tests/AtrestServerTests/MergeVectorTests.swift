// SPDX-License-Identifier: Apache-2.0
// Replays the published merge vectors: what docs/protocol promises to other implementations.

import AtrestReplication
import AtrestTestSupport
import AtrestWire
import Foundation
import Testing

@testable import AtrestServer

@Suite("Merge vectors", .timeLimit(.minutes(20)))
struct MergeVectorTests {
  private struct Case: Decodable {
    struct Step: Decodable {
      let offer: Data
      let superseded: Bool?
      let result: Data?
      let journal: [Data]?
      let refused: String?
    }
    /// Deletes so many of the records that are left.
    struct Request: Decodable {
      let deletes: Int
      let allowMassDeletion: Bool
      let refused: String?
    }
    let `case`: Int
    let serverMs: Int64
    let about: String?
    let steps: [Step]?
    let records: Int?
    let requests: [Request]?
  }

  private static let file = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().appendingPathComponent("../../docs/protocol/merge-vectors.jsonl")

  private static func cases() throws -> [Case] {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map {
      try decoder.decode(Case.self, from: Data($0.utf8))
    }
  }

  @Test("the server makes of each offer what they say, and notes the same conflicts")
  func replay() throws {
    let store = try openStore(try Folder())
    defer { store.close() }
    let cases = try Self.cases()
    #expect(cases.count > 1_000)
    for each in cases {
      let account = try store.makeAccount("case \(each.case)")
      let device = ReplicaID(rawValue: 1_000 + UInt64(each.case))
      try store.makeDevice(device, account)
      var journal: Set<Data> = []
      for (number, step) in (each.steps ?? []).enumerated() {
        let place = Comment(rawValue: "case \(each.case), step \(number) \(each.about ?? "")")
        let answer = try store.exchange(
          account, ExchangeRequest(cursor: nil, offers: [[UInt8](step.offer)]), by: device,
          at: each.serverMs)
        if let reason = step.refused {
          #expect(answer.refusals.map(\.reason) == [try Self.reason(reason)], place)
          continue
        }
        #expect(answer.refusals.isEmpty, place)
        #expect(answer.superseded.isEmpty == !(step.superseded ?? false), place)
        // Everything that the account holds, beside what the offer left as it was offered.
        let all = try store.exchange(
          account, ExchangeRequest(cursor: nil, offers: []), by: device, at: each.serverMs)
        let records = all.records.map { Data($0) }
        let entries = Set(
          try records.filter { try Record(decoding: [UInt8]($0)).key.kind == .conflict })
        #expect(entries.subtracting(journal) == Set(step.journal ?? []), place)
        journal = entries
        #expect(try records.contains(#require(step.result)), place)
      }
    }
  }
  @Test("of so many records so many may be deleted at once, and no more")
  func deletions() throws {
    let store = try openStore(try Folder())
    defer { store.close() }
    let cases = try Self.cases().filter { $0.requests != nil }
    #expect(cases.count >= 20)
    for each in cases {
      let account = try store.makeAccount("case \(each.case)")
      let records = try #require(each.records)
      _ = try store.exchange(
        account, ExchangeRequest(cursor: nil, offers: (0..<records).map { offer(water($0)) }))
      var next = 0
      for request in each.requests ?? [] {
        let numbers = next..<next + request.deletes
        let answer = try store.exchange(
          account,
          ExchangeRequest(
            cursor: nil, offers: numbers.map { deletion(deleted($0)) },
            allowsMassDeletion: request.allowMassDeletion), at: noon + 1000)
        let reason = try request.refused.map(Self.reason)
        #expect(
          answer.refusals.map(\.reason) == reason.map {
            Array(repeating: $0, count: request.deletes)
          } ?? [],
          "case \(each.case)")
        if reason == nil { next = numbers.upperBound }
      }
    }
  }

  private static func reason(_ name: String) throws -> Refusal.Reason {
    let reasons: [String: Refusal.Reason] = [
      "REASON_CLOCK_SKEW": .clockSkew, "REASON_INVALID": .invalid,
      "REASON_MASS_DELETION": .massDeletion,
    ]
    return try #require(reasons[name])
  }
}
