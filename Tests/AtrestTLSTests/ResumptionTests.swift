// SPDX-License-Identifier: Apache-2.0
// Session resumption: a returning client resumes unless the server has changed.

import AtrestTestSupport
import Testing

@testable import AtrestTLS

@Suite(.timeLimit(.minutes(20))) struct ResumptionTests {
  private func connect(_ client: ClientTLS, _ server: ServerTLS) throws -> Pair {
    let pair = try Pair(client, server)
    converse(pair.client, pair.server)
    #expect(pair.client.error == nil && pair.server.error == nil)
    try pair.exchangeData()
    #expect(pair.client.session.isResumed == pair.server.session.isResumed)
    return pair
  }

  @Test(
    "the second connection resumes the first, and the third the second",
    arguments: [TLSVersion.tls12, .tls13])
  func resumes(version: TLSVersion) throws {
    let identity = try ServerIdentity.generate()
    let server = try ServerTLS(identity)
    let client = try ClientTLS(.pinned(identity.fingerprint), newest: version)
    #expect(try !connect(client, server).client.session.isResumed)
    for _ in 0..<5 { #expect(try connect(client, server).client.session.isResumed) }
  }

  @Test("a connection that was cut leaves its tickets as good as before")
  func afterCut() throws {
    let identity = try ServerIdentity.generate()
    let server = try ServerTLS(identity)
    let client = try ClientTLS(.pinned(identity.fingerprint))
    do {
      let pair = try connect(client, server)
      #expect(throws: TLSError.truncated) { try pair.client.session.endOfInput() }
    }
    var tickets = 0
    while tickets < 9, client.takeTicket() != nil { tickets += 1 }
    #expect(tickets == 2)
  }

  @Test("a ticket is for one connection")
  func singleUse() throws {
    let identity = try ServerIdentity.generate()
    let client = try ClientTLS(.pinned(identity.fingerprint))
    _ = try connect(client, ServerTLS(identity))
    var tickets = 0
    while tickets < 9, client.takeTicket() != nil { tickets += 1 }
    #expect(tickets == 2)
  }

  @Test(
    "after the identity was exchanged, a ticket is only a full handshake",
    arguments: [TLSVersion.tls12, .tls13])
  func rotation(version: TLSVersion) throws {
    let folder = try Folder()
    let authority = try Authority()
    let file = folder.path("authority.pem")
    try KeyFile(path: file).write(authority.pem)
    func identity() throws -> ServerIdentity {
      try .signed(
        by: authority, names: ["DNS:a.b"], validFrom: Authority.now - Authority.day,
        validUntil: Authority.now + Authority.day)
    }
    let box = try TLSContextBox(try identity())
    let client = try ClientTLS(.authority(file: file, name: "a.b"), newest: version)
    let running = try connect(client, box.current)
    #expect(try connect(client, box.current).client.session.isResumed)
    let before = box.current.identity.fingerprint
    let next = try identity()
    try box.replace(with: next)
    #expect(box.current.identity.fingerprint == next.fingerprint && before != next.fingerprint)
    #expect(try !connect(client, box.current).client.session.isResumed)
    #expect(try connect(client, box.current).client.session.isResumed)
    // Existing connections continue.
    try running.exchangeData()
  }

  @Test(
    "after the ticket keys were renewed, an older ticket is only a full handshake",
    arguments: [TLSVersion.tls12, .tls13])
  func newKeys(version: TLSVersion) throws {
    let identity = try ServerIdentity.generate()
    let box = try TLSContextBox(identity)
    let client = try ClientTLS(.pinned(identity.fingerprint), newest: version)
    let running = try connect(client, box.current)
    #expect(try connect(client, box.current).client.session.isResumed)
    try box.renewTicketKeys()
    #expect(box.current.identity.fingerprint == identity.fingerprint)
    #expect(try !connect(client, box.current).client.session.isResumed)
    #expect(try connect(client, box.current).client.session.isResumed)
    try running.exchangeData()
  }

  @Test("an identity that cannot be used changes nothing")
  func badRotation() throws {
    let good = try ServerIdentity.generate()
    let box = try TLSContextBox(good)
    let folder = try Folder()
    let weak = try weakIdentity(in: folder)
    #expect { try box.replace(with: weak) } throws: { error in
      guard case .unusable(_, let reason) = error as? TLSFileError else { return false }
      return reason.contains("too small")
    }
    #expect(box.current.identity.fingerprint == good.fingerprint)
    _ = try connect(ClientTLS(.pinned(good.fingerprint)), box.current)
  }
}
