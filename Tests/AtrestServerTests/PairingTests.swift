// SPDX-License-Identifier: Apache-2.0
// Pairing: codes, tokens, and their expiry.

import AtrestDomain
import AtrestHTTP2
import AtrestProtocol
import AtrestRPC
import AtrestReplication
import AtrestWire
import Testing

@testable import AtrestServer

@Suite(.timeLimit(.minutes(20))) struct PairingTests {
  private let storage: Storage
  private let kim: DeviceSession

  init() throws {
    storage = try Storage()
    kim = try storage.session(phone)
  }

  /// A code that needs no approval. See `ApprovalTests` for the others.
  private func invite() async throws -> String {
    let bytes = InviteRequest(withoutApproval: true).encoded
    let outcome = await outcome { later throws(Status) in
      try storage.devices.invite(kim, bytes, answer: later)
    }
    return try InviteResponse(decoding: try outcome.reply).code
  }

  private func pair(_ code: String, name: String = "laptop") async throws -> PairResponse {
    let bytes = PairRequest(code: code, deviceName: name).encoded
    let outcome = await outcome { later throws(Status) in
      try storage.devices.pair(bytes, answer: later)
    }
    return try PairResponse(decoding: try outcome.reply)
  }

  private func wrong(_ code: String) -> String {
    String(code.dropLast()) + (code.hasSuffix("B") ? "C" : "B")
  }

  @Test("a code joins the account of whoever made it, whatever the case and the hyphens")
  func pairs() async throws {
    let code = try await invite()
    let answer = try await pair(" " + code.lowercased().replacing("-", with: "") + " ")
    #expect(answer.accountName == "kim")
    #expect(answer.replica.rawValue > 0 && answer.replica.rawValue < 1 << 63)
    var metadata = Metadata()
    metadata.add("authorization", "Bearer \(answer.token)")
    let session = storage.registry.authenticate(metadata, at: WallTime(milliseconds: noon)).device
    #expect(session?.replica == answer.replica)
    #expect(session?.account === kim.account)
    await storage.queue.close()
    // The device is stored, and no secret is.
    let store = try openStore(storage.folder)
    defer { store.close() }
    let device = try store.transaction { t throws(StoreError) in try t.devices.list(of: nil) }
      .first { $0.replica == answer.replica }
    #expect(device?.name == "laptop")
    #expect(device?.tokenHash.count == 32)
    #expect(device.map { !answer.token.hasSuffix(Hexadecimal.encoded($0.tokenHash)) } == true)
  }

  @Test("a device whose name another one has gets a number behind it, and is told")
  func namesake() async throws {
    var names: [String] = []
    for name in ["laptop", "laptop", "laptop", "laptop 2", "device 1", "Laptop"] {
      names.append(try await pair(try await invite(), name: name).deviceName)
    }
    #expect(
      names == ["laptop", "laptop 2", "laptop 3", "laptop 2 2", "device 1 2", "Laptop"])
    let listed = await outcome { later throws(Status) in
      try storage.devices.list(kim, [], answer: later)
    }
    let all = try DevicesListResponse(decoding: try listed.reply).devices.map(\.name)
    #expect(Set(all) == Set(names + ["device 1", "device 2"]) && all.count == 8)
    // The longest name is truncated so that the number fits.
    let long = String(repeating: "x", count: NameLimit.bytes)
    _ = try await pair(try await invite(), name: long)
    #expect(try await pair(try await invite(), name: long).deviceName == long.dropLast(2) + " 2")
    await storage.queue.close()
  }

  @Test("the name of a device whose access ended is free for the next")
  func freeName() async throws {
    let first = try await pair(try await invite())
    let ended = await outcome { later throws(Status) in
      try storage.devices.revoke(
        kim, DevicesRevokeRequest(replica: first.replica).encoded, answer: later)
    }
    _ = try ended.reply
    #expect(try await pair(try await invite()).deviceName == "laptop")
    await storage.queue.close()
  }

  @Test("a code works once")
  func once() async throws {
    let code = try await invite()
    _ = try await pair(code)
    await #expect(throws: Status.badCode) { try await pair(code) }
    await storage.queue.close()
  }

  @Test("five wrong tries end a code; four do not")
  func tries() async throws {
    let (first, second) = (try await invite(), try await invite())
    for _ in 0..<4 { await #expect(throws: Status.badCode) { try await pair(wrong(first)) } }
    _ = try await pair(first)
    for _ in 0..<5 { await #expect(throws: Status.badCode) { try await pair(wrong(second)) } }
    await #expect(throws: Status.badCode) { try await pair(second) }
    await storage.queue.close()
  }

  @Test("wrong tries are remembered across a restart")
  func triesSurvive() async throws {
    let code = try await invite()
    for _ in 0..<5 { await #expect(throws: Status.badCode) { try await pair(wrong(code)) } }
    await storage.queue.close()
    let again = try Storage(storage.folder)
    let outcome = await outcome { later throws(Status) in
      try again.devices.pair(
        PairRequest(code: code, deviceName: "x").encoded, answer: later)
    }
    #expect(outcome.failure == .badCode)
    await again.queue.close()
  }

  @Test("a code lasts five minutes")
  func expiry() async throws {
    let code = try await invite()
    let late = try await invite()
    storage.world.now += 5 * 60 * 1000 - 1
    _ = try await pair(code)
    storage.world.now += 1
    await #expect(throws: Status.badCode) { try await pair(late) }
    await storage.queue.close()
  }

  @Test("codes of a clock that was ahead end when it is set right, and make room")
  func clockWasAhead() async throws {
    let code = try await invite()
    for _ in 1..<Pairing.openInvitations { _ = try await invite() }
    storage.world.now -= ClockMonitor.tolerance + 1
    await #expect(throws: Status.badCode) { try await pair(code) }
    let new = try await invite()
    storage.world.now -= ClockMonitor.tolerance
    _ = try await pair(new)
    await storage.queue.close()
  }

  @Test(
    "wrong, unknown and malformed codes look alike",
    arguments: ["", "BCDF", "BCDF-GHJKLMNA", "BCDF-GHJKLMNP", "ÄÖÜ"])
  func alike(code: String) async throws {
    await #expect(throws: Status.badCode) { try await pair(code) }
    await storage.queue.close()
  }

  @Test("two hundred wrong codes in a row make everybody wait; time lets them try again")
  func limiter() async throws {
    let code = try await invite()
    for _ in 0..<200 { await #expect(throws: Status.badCode) { try await pair("nonsense") } }
    await #expect(throws: Status.tooManyTries) { try await pair(code) }
    storage.world.now += AttemptLimiter.refillMilliseconds
    _ = try await pair(code)
    await storage.queue.close()
  }

  @Test("codes tried at once count like codes tried in a row")
  func limiterAtOnce() async throws {
    let bytes = PairRequest(code: "BCDF-GHJKLMNP", deviceName: "x").encoded
    let unheard = Answer { _, _ in }
    var refusals = 0
    for _ in 0..<300 {
      do throws(Status) { _ = try storage.devices.pair(bytes) { unheard } } catch {
        #expect(error == .tooManyTries)
        refusals += 1
      }
    }
    #expect(refusals == 100)
    await storage.queue.close()
  }

  @Test("codes that are right cost no tries")
  func limiterSpares() async throws {
    // The operator's codes, because devices have a separate limit.
    let admin = AdminService(
      queue: storage.queue, backups: storage.queue, registry: storage.registry,
      devices: storage.devices,
      environment: storage.world.environment, address: { "" })
    for number in 0..<AttemptLimiter.capacity + 5 {
      let made = await outcome { later throws(Status) in
        try admin.inviteDevice(AccountRequest(name: "kim").packed, answer: later)
      }
      let code = try Invitation(unpacking: try made.reply).code
      _ = try await pair(code, name: "device \(number)")
    }
    await storage.queue.close()
  }

  @Test("a call let in before its device's access ended learns nothing after")
  func revokedMeanwhile() async throws {
    storage.registry.revoke(phone, at: WallTime(milliseconds: noon))
    let list = await outcome { later throws(Status) in
      try storage.devices.list(kim, [], answer: later)
    }
    #expect(list.failure == .unknownDevice)
    await storage.queue.close()
  }

  @Test("an account has at most sixteen open codes; expired ones make room")
  func openCodes() async throws {
    for _ in 0..<16 { _ = try await invite() }
    let status = await #expect(throws: Status.self) { try await invite() }
    #expect(status?.code == .resourceExhausted)
    storage.world.now += PairingCode.lifeMilliseconds
    _ = try await invite()
    await storage.queue.close()
  }

  @Test(
    "device names are short and printable",
    arguments: ["", "a\nb", String(repeating: "x", count: 65)])
  func names(name: String) async throws {
    let code = try await invite()
    let status = await #expect(throws: Status.self) { try await pair(code, name: name) }
    #expect(status?.code == .invalidArgument)
    _ = try await pair(code)
    await storage.queue.close()
  }

  @Test(
    "the code of a numbered cell begins with two letters that name it",
    arguments: [1, 19, 20, 399])
  func cells(number: Int) throws {
    let cell = try #require(CellNumber(number))
    let code = PairingCode(cell: cell, random: World().environment.random)
    #expect(code.text.count == 16)
    #expect(PairingCode(code.text) == code && PairingCode(code.text.lowercased())?.cell == cell)
    // The letters of no cell.
    #expect(PairingCode("BB" + code.text.dropFirst(2)) == nil)
  }

  @Test("codes use every letter about equally often")
  func letters() {
    let world = World()
    var counts: [Character: Int] = [:]
    for _ in 0..<2000 {
      let code = PairingCode(random: world.environment.random)
      #expect(code.text.count == 13 && PairingCode(code.text) == code)
      for letter in code.text where letter != "-" { counts[letter, default: 0] += 1 }
    }
    #expect(Set(counts.keys) == Set("BCDFGHJKLMNPQRSTVWXZ"))
    #expect(counts.values.allSatisfy { (1000...1400).contains($0) })
  }
}

@Suite(.timeLimit(.minutes(20))) struct TokenTests {
  @Test("credentials read back from the header they are sent in, with the cell of their account")
  func roundTrip() throws {
    let token = Token(replica: ReplicaID(rawValue: 0x0123_4567_89AB_CDEF), secret: [UInt8](0..<32))
    for cell in try [CellNumber.sole, #require(CellNumber(1)), #require(CellNumber(399))] {
      let text = Credentials(cell: cell, token: token).text
      let header = Array("bEARER \(text.uppercased())".utf8)
      let read = try #require(Credentials(authorization: header[...]))
      #expect(read.cell == cell)
      #expect(read.token.replica == token.replica && read.token.secret == token.secret)
    }
  }

  @Test(
    "anything else are no credentials",
    arguments: [
      "", "Bearer", "Bearer 12", "Basic " + String(repeating: "0", count: 81),
      "Bearer " + String(repeating: "g", count: 80), "Bearer " + String(repeating: "0", count: 81),
      "Bearer ." + String(repeating: "0", count: 80),
      "Bearer 0." + String(repeating: "0", count: 80),
      "Bearer 01." + String(repeating: "0", count: 80),
      "Bearer 400." + String(repeating: "0", count: 80),
      "Bearer +1." + String(repeating: "0", count: 80),
      "Bearer 1." + String(repeating: "0", count: 79),
    ])
  func malformed(text: String) {
    #expect(Credentials(authorization: Array(text.utf8)[...]) == nil)
  }

  @Test("beside another one none is accepted: nobody should have to guess which one counts")
  func twice() throws {
    let storage = try Storage()
    for second in ["x", try #require(credentials(phone).text("authorization"))] {
      var metadata = credentials(phone)
      metadata.add("authorization", second)
      #expect(
        storage.registry.authenticate(metadata, at: WallTime(milliseconds: noon)).device == nil)
    }
  }

  @Test(
    "the right secret is accepted again and again, a wrong one never, a revoked one never again")
  func accepts() throws {
    let storage = try Storage()
    let now = WallTime(milliseconds: noon)
    for _ in 0..<2 {
      #expect(storage.registry.authenticate(credentials(phone), at: now).device?.replica == phone)
      #expect(storage.registry.authenticate(credentials(phone, secret: 2), at: now).device == nil)
    }
    #expect(
      storage.registry.authenticate(credentials(ReplicaID(rawValue: 9)), at: now).device == nil)
    #expect(storage.registry.authenticate(Metadata(), at: now).device == nil)
    storage.registry.revoke(phone, at: now)
    #expect(storage.registry.authenticate(credentials(phone), at: now).device == nil)
    #expect(storage.registry.authenticate(credentials(tablet), at: now).device?.replica == tablet)
  }
}
