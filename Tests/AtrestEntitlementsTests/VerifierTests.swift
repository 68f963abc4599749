// SPDX-License-Identifier: Apache-2.0
// The fifteen checks in order, each with statements that fail only that check.

import AtrestAppStore
import AtrestCrypto
import AtrestDomain
import AtrestEntitlements
import AtrestReplication
import Foundation
import Testing

@Suite("A signed statement counts only if", .timeLimit(.minutes(20)))
struct VerifierTests {
  @Test("it passes every check, and then says what was bought")
  func passes() throws {
    let bench = try Bench()
    let jws = try bench.authority.sign(Payload().text)
    let fact = try bench.verify(jws)
    #expect(fact.id == .init(environment: .production, transactionID: "2000000001"))
    #expect(fact.originalID == fact.id)
    #expect(fact.productID == "com.atrest.annual" && fact.type == .subscription)
    #expect(fact.ownership == .purchased)
    #expect(fact.expires == WallTime(milliseconds: Payload.signed + Payload.year))
    #expect(fact.revoked == nil && fact.revokedShare == nil && fact.appAccountToken == nil)
    #expect(fact.order.signed == WallTime(milliseconds: Payload.signed))
    #expect(fact.order.hash == SHA256.hash(jws))
  }

  @Test("1. it is no longer than 16 KiB, whatever it holds")
  func length() throws {
    let bench = try Bench()
    #expect(
      bench.refusal(of: [UInt8](repeating: 0x41, count: SignedTransaction.limitBytes + 1))
        == .tooLarge)
    #expect(
      bench.refusal(of: [UInt8](repeating: 0x41, count: SignedTransaction.limitBytes))
        == .malformed)
    let long = String(repeating: "x", count: SignedTransaction.limitBytes)
    #expect(try bench.refusal(changing: ["storefront": "\"\(long)\""]) == .tooLarge)
  }

  @Test("1. the account has room for it")
  func quota() throws {
    var bench = try Bench()
    bench.policy.factsPerAccount = 3
    bench.claim.heldFacts = 3
    #expect(try bench.refusal(changing: [:]) == .tooManyFacts)
    bench.claim.heldFacts = 2
    #expect(try bench.refusal(changing: [:]) == nil)
  }

  @Test(
    "2. it has three parts in strict base64url",
    arguments: [
      "", ".", "..", "a.b", "....", "e30.e30.", "e30=.e30.AAAA", "e30.e30.AA+A", "e30.e31.AAAA",
      "e30\n.e30.AAAA",
    ])
  func form(text: String) throws {
    let refusal = try Bench().refusal(of: Array(text.utf8))
    #expect(refusal == .malformed || refusal == .wrongAlgorithm && text == "e30.e30.")
  }

  @Test("2. base64 has one text for one value")
  func strictBase64() throws {
    let bench = try Bench()
    let jws = try bench.authority.sign(Payload().text)
    // 64 bytes leave four bits unused in the last character. A lenient decoder ignores them.
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    let last = try #require(jws.last)
    let place = try #require(alphabet.firstIndex(of: last))
    var changed = jws
    changed[changed.count - 1] = alphabet[place ^ 1]
    #expect(bench.refusal(of: changed) == .malformed)
    #expect(bench.refusal(of: jws + Array("==".utf8)) == .malformed)
    #expect(bench.refusal(of: jws + Array(".".utf8)) == .malformed)
  }

  @Test(
    "2. it is signed by ES256, written exactly so",
    arguments: ["none", "HS256", "ES384", "es256", "ES256 ", ""])
  func algorithm(name: String) throws {
    let bench = try Bench()
    let header = TestAuthority.header(bench.authority.chain, algorithm: name)
    #expect(
      bench.refusal(of: try bench.authority.sign(Payload().text, header: header))
        == .wrongAlgorithm)
  }

  @Test("2. it asks for nothing critical that this build does not know")
  func critical() throws {
    let bench = try Bench()
    let header = TestAuthority.header(bench.authority.chain).dropLast() + ",\"crit\":[\"b64\"]}"
    #expect(
      bench.refusal(of: try bench.authority.sign(Payload().text, header: String(header)))
        == .wrongAlgorithm)
  }

  @Test("2. it carries exactly three certificates", arguments: [0, 1, 2, 4])
  func certificateCount(count: Int) throws {
    let bench = try Bench()
    let chain = (bench.authority.chain + [bench.authority.root]).prefix(count)
    let header = TestAuthority.header(Array(chain))
    #expect(
      bench.refusal(of: try bench.authority.sign(Payload().text, header: header))
        == .wrongCertificateCount)
  }

  @Test("2. what it carries are certificates")
  func certificateForm() throws {
    let bench = try Bench()
    var chain = bench.authority.chain
    chain[1].append(0)
    let header = TestAuthority.header(chain)
    #expect(
      bench.refusal(of: try bench.authority.sign(Payload().text, header: header)) == .malformed)
  }

  @Test("2. no name stands twice in an object, in the header, the payload or deeper")
  func repeatedNames() throws {
    let bench = try Bench()
    let twice = Payload().text.dropLast() + ",\"productId\":\"com.atrest.lifetime\"}"
    #expect(bench.refusal(of: try bench.authority.sign(String(twice))) == .malformed)
    let escaped = Payload().text.dropLast() + ",\"product\\u0049d\":\"com.atrest.lifetime\"}"
    #expect(bench.refusal(of: try bench.authority.sign(String(escaped))) == .malformed)
    #expect(try bench.refusal(changing: ["more": "{\"a\":1,\"a\":2}"]) == .malformed)
    let header = TestAuthority.header(bench.authority.chain).dropLast() + ",\"alg\":\"ES256\"}"
    #expect(
      bench.refusal(of: try bench.authority.sign(Payload().text, header: String(header)))
        == .malformed)
  }

  @Test("2. its JSON is bounded in depth and count")
  func deepJSON() throws {
    let bench = try Bench()
    let deep = String(repeating: "[", count: 4000) + String(repeating: "]", count: 4000)
    #expect(try bench.refusal(changing: ["more": deep]) == .malformed)
    let wide = "[" + Array(repeating: "1", count: 600).joined(separator: ",") + "]"
    #expect(try bench.refusal(changing: ["more": wide]) == .malformed)
  }

  @Test("2. its signature has 64 bytes")
  func signatureLength() throws {
    let bench = try Bench()
    let parts = String(decoding: try bench.authority.sign(Payload().text), as: UTF8.self)
      .split(separator: ".")
    for count in [0, 63, 65, 96] {
      let signature = TestAuthority.base64URL([UInt8](repeating: 1, count: count))
      #expect(
        bench.refusal(of: Array("\(parts[0]).\(parts[1]).\(signature)".utf8))
          == .malformedSignature)
    }
  }

  @Test(
    "2. every claim that is looked at has its form",
    arguments: [
      ["signedDate": nil], ["signedDate": "1.5"], ["signedDate": "0"],
      ["signedDate": "99999999999999999999"], ["expiresDate": "\"tomorrow\""],
      ["transactionId": "7"], ["transactionId": "\"\""], ["transactionId": "\"a b\""],
      ["originalTransactionId": nil], ["bundleId": "[]"], ["environment": nil],
      ["appAccountToken": "\"me\""], ["revocationDate": "-1"],
    ] as [[String: String?]])
  func claimForms(changes: [String: String?]) throws {
    #expect(try Bench().refusal(changing: changes) == .malformed)
  }

  @Test("2. a claim that is null is absent")
  func nullClaims() throws {
    let changes = ["revocationDate": "null", "appAccountToken": "null"]
    #expect(try Bench().refusal(changing: changes) == nil)
  }

  @Test("8. it was made in this app")
  func app() throws {
    let bench = try Bench()
    #expect(try bench.refusal(changing: ["bundleId": "\"com.other\""]) == .otherApp)
    #expect(try bench.refusal(changing: ["bundleId": "\"com.atrest.fasting \""]) == .otherApp)
    #expect(try bench.refusal(changing: ["appAppleId": "1"]) == .otherApp)
    #expect(try bench.refusal(changing: ["appAppleId": "6700000001"]) == nil)
  }

  @Test(
    "9. it was not made in a local test", arguments: ["Xcode", "LocalTesting", "", "PRODUCTION"])
  func localTesting(environment: String) throws {
    var bench = try Bench()
    bench.claim.isTester = true
    #expect(try bench.refusal(changing: ["environment": "\"\(environment)\""]) == .localTesting)
  }

  @Test("9. sandbox on production is refused, but for testers; production in the sandbox is, too")
  func environments() throws {
    var bench = try Bench()
    let sandbox = ["environment": "\"Sandbox\""]
    #expect(try bench.refusal(changing: sandbox) == .otherEnvironment)
    bench.claim.isTester = true
    let fact = try bench.verify(bench.authority.sign(Payload(sandbox).text))
    #expect(fact.id.environment == .sandbox && fact.originalID.environment == .sandbox)
    bench.claim.isTester = false
    bench.policy.environment = .sandbox
    #expect(try bench.refusal(changing: sandbox) == nil)
    #expect(try bench.refusal(changing: [:]) == .otherEnvironment)
  }

  @Test("10. its product is known, under its own type, and ends if it is a subscription")
  func product() throws {
    let bench = try Bench()
    #expect(try bench.refusal(changing: ["productId": "\"com.atrest.tips\""]) == .unknownProduct)
    #expect(try bench.refusal(changing: ["type": "\"Non-Consumable\""]) == .wrongProductType)
    #expect(try bench.refusal(changing: ["type": "\"Consumable\""]) == .wrongProductType)
    #expect(
      try bench.refusal(changing: ["productId": "\"com.atrest.lifetime\""]) == .wrongProductType)
    #expect(try bench.refusal(changing: ["expiresDate": nil]) == .wrongProductType)
    let lifetime = [
      "productId": "\"com.atrest.lifetime\"", "type": "\"Non-Consumable\"", "expiresDate": nil,
    ]
    #expect(try bench.refusal(changing: lifetime) == nil)
  }

  @Test("11. renewal information belongs to a purchase that passed")
  func renewal() throws {
    let bench = try Bench()
    var facts = EntitlementFacts()
    #expect(
      try bench.refusal(renewal: .renewal(), of: facts) == .renewalWithoutTransaction)
    facts.insert(try bench.verify(bench.authority.sign(Payload().text)))
    #expect(try bench.refusal(renewal: .renewal(), of: facts) == nil)
    let other = Payload.renewal(["originalTransactionId": "\"2000000002\""])
    #expect(try bench.refusal(renewal: other, of: facts) == .renewalWithoutTransaction)
    let sandbox = Payload.renewal(["environment": "\"Sandbox\""])
    #expect(try bench.refusal(renewal: sandbox, of: facts) == .otherEnvironment)
    let later = Payload.renewal(["signedDate": "\(Payload.signed + 400_000)"])
    #expect(try bench.refusal(renewal: later, of: facts) == .signedInTheFuture)
    let lifetime = Payload.renewal(["productId": "\"com.atrest.lifetime\""])
    #expect(try bench.refusal(renewal: lifetime, of: facts) == .wrongProductType)
  }

  @Test("11. a purchase is no renewal information, and renewal information no purchase")
  func kinds() throws {
    let bench = try Bench()
    #expect(bench.refusal(of: try bench.authority.sign(Payload.renewal().text)) == .malformed)
  }

  @Test("12. it was signed no later than five minutes from now")
  func future() throws {
    var bench = try Bench()
    bench.now = WallTime(milliseconds: Payload.signed - 300_000)
    #expect(try bench.refusal(changing: [:]) == nil)
    bench.now = WallTime(milliseconds: Payload.signed - 300_001)
    #expect(try bench.refusal(changing: [:]) == .signedInTheFuture)
    bench.now = WallTime(milliseconds: .min)
    #expect(try bench.refusal(changing: [:]) == .signedInTheFuture)
  }

  @Test("14. it says whether it was bought or shared in a family")
  func ownership() throws {
    let bench = try Bench()
    #expect(try bench.refusal(changing: ["inAppOwnershipType": "\"GIFT\""]) == .unknownOwnership)
    let shared = Payload(["inAppOwnershipType": "\"FAMILY_SHARED\""]).text
    #expect(try bench.verify(bench.authority.sign(shared)).ownership == .familyShared)
  }

  @Test("15. what is stored is what was accepted")
  func stored() throws {
    let bench = try Bench()
    let jws = try bench.authority.sign(Payload().text)
    let stored = StoredStatement(accepted: jws)
    #expect(stored.hash == (try bench.verify(jws)).order.hash)
    #expect(try stored.intact() == jws)
    var changed = jws
    changed[changed.count / 2] ^= 1
    let altered = StoredStatement(jws: changed, hash: stored.hash)
    #expect(throws: EntitlementRejection.altered) { try altered.intact() }
  }

  @Test("15. nothing that a client adds to it means anything")
  func additions() throws {
    let bench = try Bench()
    let wishes = ["premium": "true", "entitlement": "\"premium\"", "expires": "9999999999999"]
    let plain = try bench.verify(bench.authority.sign(Payload().text))
    let wished = try bench.verify(bench.authority.sign(Payload(wishes).text))
    #expect(plain.expires == wished.expires && plain.type == wished.type)
  }

  @Test("each refusal has a check of its own number, a sentence, and no value")
  func sentences() {
    #expect(Set(EntitlementRejection.allCases.map(\.check)) == Set(1...15))
    let sentences = EntitlementRejection.allCases.map(\.userMessage)
    #expect(Set(sentences).count == sentences.count)
    #expect(sentences.allSatisfy { $0.hasSuffix(".") && $0.contains(". ") || $0.contains("; ") })
  }
}
