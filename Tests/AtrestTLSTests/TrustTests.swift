// SPDX-License-Identifier: Apache-2.0
// Which servers a client trusts, and its errors for the others.

import AtrestTestSupport
import CAtrestOpenSSL
import Testing

@testable import AtrestTLS

@Suite(.timeLimit(.minutes(20))) struct TrustTests {
  private let now = Authority.now
  private let day = Authority.day

  /// The errors of a client and a server with this identity.
  private func verdict(
    _ trust: ClientTrust, _ identity: ServerIdentity
  ) throws -> (client: TLSError?, server: TLSError?) {
    let pair = try Pair(ClientTLS(trust), ServerTLS(identity))
    converse(pair.client, pair.server)
    #expect((pair.client.error == nil) == (pair.client.establishedCount == 1))
    return (pair.client.error, pair.server.error)
  }

  @Test("a pinned certificate is believed whatever its name and dates; no other is")
  func pin() throws {
    let authority = try Authority()
    let old = try ServerIdentity.signed(
      by: authority, names: ["DNS:elsewhere"], validFrom: now - 9 * day, validUntil: now - day)
    #expect(try verdict(.pinned(old.fingerprint), old).client == nil)
    let other = try ServerIdentity.generate()
    let verdict = try verdict(.pinned(old.fingerprint), other)
    #expect(verdict.client == .distrusted(.pinMismatch))
    #expect(verdict.server == .refused(alert: 40) || verdict.server != nil)
  }

  @Test("an authority's certificate is for a name or an address, and for a time")
  func authority() throws {
    let folder = try Folder()
    let authority = try Authority()
    let file = folder.path("authority.pem")
    try KeyFile(path: file).write(authority.pem)
    func trust(_ name: String) -> ClientTrust { .authority(file: file, name: name) }
    func identity(_ names: [String], _ from: Int = -1, _ until: Int = 1) throws -> ServerIdentity {
      try ServerIdentity.signed(
        by: authority, names: names, validFrom: now + from * day, validUntil: now + until * day)
    }
    let good = try identity(["DNS:sync.example.org", "IP:192.0.2.7", "IP:2001:db8::7"])
    for name in ["sync.example.org", "SYNC.example.org", "192.0.2.7", "2001:db8::7"] {
      #expect(try verdict(trust(name), good).client == nil)
    }
    for name in ["example.org", "other.example.org", "192.0.2.8", "::1", "server"] {
      #expect(try verdict(trust(name), good).client == .distrusted(.wrongName(name)))
    }
    let wildcard = try identity(["DNS:*.example.org"])
    #expect(try verdict(trust("a.example.org"), wildcard).client == nil)
    #expect(
      try verdict(trust("b.a.example.org"), wildcard).client
        == .distrusted(.wrongName("b.a.example.org")))
    #expect(
      try verdict(trust("a.b"), identity(["DNS:a.b"], -3, -1)).client == .distrusted(.expired))
    #expect(
      try verdict(trust("a.b"), identity(["DNS:a.b"], 1, 3)).client == .distrusted(.notYetValid))
    // A certificate of another CA under the same name.
    let stranger = try ServerIdentity.signed(
      by: try Authority(), names: ["DNS:a.b"], validFrom: now - day, validUntil: now + day)
    #expect(try verdict(trust("a.b"), stranger).client != nil)
    #expect(try verdict(trust("atrest"), .generate()).client == .distrusted(.unknownIssuer))
    #expect(try verdict(.system(name: "a.b"), good).client == .distrusted(.unknownIssuer))
  }

  @Test("a server's own certificate can be its authority")
  func selfSigned() throws {
    let folder = try Folder()
    let file = folder.path("identity.pem")
    let identity = try ServerIdentity.loadOrMake(file: file)
    #expect(try verdict(.authority(file: file, name: "localhost"), identity).client == nil)
    #expect(try verdict(.authority(file: file, name: "::1"), identity).client == nil)
  }

  @Test("names that no certificate can have never switch the check off")
  func emptyName() throws {
    let folder = try Folder()
    let file = folder.path("identity.pem")
    _ = try ServerIdentity.loadOrMake(file: file)
    for name in ["", "a\0b"] {
      let tls = try ClientTLS(.authority(file: file, name: name))
      #expect(throws: TLSError.distrusted(.wrongName(name))) { try TLSSession(client: tls) }
    }
  }

  @Test("a pinned client does not resume into another server")
  func pinOnResumption() throws {
    let first = try ServerIdentity.generate()
    let server = try ServerTLS(first)
    let donor = try ClientTLS(.pinned(first.fingerprint))
    let pair = try Pair(donor, server)
    converse(pair.client, pair.server)
    try pair.exchangeData()
    // As if tickets were mixed up: the pin still decides.
    let other = try ClientTLS(.pinned(try ServerIdentity.generate().fingerprint))
    let ticket = try #require(donor.takeTicket())
    let session = try TLSSession(client: other, ticket: ticket)
    let mixed = SessionEnd(session)
    converse(mixed, SessionEnd(try TLSSession(server: server)))
    #expect(mixed.error == .distrusted(.pinMismatch) && mixed.establishedCount == 0)
  }

  @Test("every error is a sentence that says what to do")
  func sentences() {
    let all: [TLSError] = [
      .distrusted(.pinMismatch), .distrusted(.expired), .distrusted(.notYetValid),
      .distrusted(.wrongName("a.b")), .distrusted(.unknownIssuer), .distrusted(.untrusted("x")),
      .noHTTP2, .notTLS, .nothingInCommon, .handshakeCut, .handshakeTimeout, .truncated,
      .refused(alert: 40), .broken("x"),
    ]
    #expect(Set(all.map(\.userMessage)).count == all.count)
    for error in all { #expect(error.userMessage.hasSuffix(".")) }
    #expect(TLSError.distrusted(.pinMismatch).userMessage.contains("pair again"))
  }
}
