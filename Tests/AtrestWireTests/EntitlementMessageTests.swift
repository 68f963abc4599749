// SPDX-License-Identifier: Apache-2.0
// The messages of the Entitlements service, and the record IDs of renewal information.

import AtrestDomain
import AtrestReplication
import AtrestTestSupport
import AtrestWire
import Foundation
import Testing

@Suite("Purchases on the wire", .timeLimit(.minutes(20)))
struct EntitlementMessageTests {
  private let requests = [
    EntitlementsSubmitRequest(signedTransaction: []),
    EntitlementsSubmitRequest(signedTransaction: [0, 1, 255], transfer: true),
  ]
  private let answers = [
    EntitlementsSubmitResponse(),
    EntitlementsSubmitResponse(
      rejection: .init(code: "OTHER_APP", check: 8, message: "é", retryable: true)),
  ]
  private let state = EntitlementsGetResponse(
    appAccountToken: Array(0..<16), verifies: true, held: 7,
    serverTime: WallTime(milliseconds: 1_780_000_000_000))

  @Test("come back as they went")
  func roundTrip() throws {
    for request in requests {
      #expect(try EntitlementsSubmitRequest(decoding: request.encoded) == request)
    }
    for answer in answers {
      #expect(try EntitlementsSubmitResponse(decoding: answer.encoded) == answer)
    }
    #expect(try EntitlementsGetResponse(decoding: state.encoded) == state)
  }

  @Test("a token that is no UUID is refused")
  func token() {
    var short = state
    short.appAccountToken = [1]
    #expect(throws: WireError.self) { try EntitlementsGetResponse(decoding: short.encoded) }
    #expect(throws: WireError.self) { try EntitlementsGetResponse(decoding: []) }
  }

  @Test("a transaction that fits no register makes no record; one that makes a record can be read")
  func longest() throws {
    let claims = #"{"transactionId":"1","signedDate":1700000000000}"#
    let payload = Data(claims.utf8).base64EncodedString().replacing("=", with: "")
    var longest = 0
    for bytes in 16_370...SignedTransaction.limitBytes {
      let filler = String(repeating: "a", count: bytes - payload.utf8.count - 2)
      guard let record = EntitlementField.record(jws: Array("\(filler).\(payload).".utf8)) else {
        continue
      }
      #expect(try Record(decoding: record.encoded) == record)
      longest = bytes
    }
    // Tag and length take three bytes.
    #expect(longest == SignedTransaction.limitBytes - 3)
  }

  @Test("renewal information has no transaction id: it is named by its subscription")
  func renewal() throws {
    func record(_ payload: String) -> Record? {
      let segment = Data(payload.utf8).base64EncodedString().replacing("=", with: "")
      return EntitlementField.record(jws: Array("e30.\(segment).c2ln".utf8))
    }
    let renewal = try #require(
      record(#"{"originalTransactionId":"2000","signedDate":1700000000000}"#))
    #expect(renewal.key.id == Array("renewal.2000".utf8))
    try renewal.checkKindRules()
    let purchase = try #require(
      record(
        #"{"transactionId":"2001","originalTransactionId":"2000","signedDate":1700000000000}"#))
    #expect(purchase.key.id == Array("2001".utf8))
    #expect(record(#"{"signedDate":1700000000000}"#) == nil)
    let long = String(repeating: "9", count: 60)
    #expect(record(#"{"originalTransactionId":"\#(long)","signedDate":1700000000000}"#) == nil)
  }
}
