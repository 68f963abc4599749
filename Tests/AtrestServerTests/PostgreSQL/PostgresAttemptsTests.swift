// SPDX-License-Identifier: Apache-2.0
// The rate limits for wrong pairing codes, over all servers of a database.

import AtrestHTTP2
import AtrestPostgreSQL
import AtrestProtocol
import AtrestRPC
import AtrestReplication
import AtrestTestSupport
import AtrestWire
import Testing

@testable import AtrestServer

extension Postgres {
  @Suite(.timeLimit(.minutes(20))) struct Attempts {
    private let world = World()
    private let database: PostgresDatabase
    private let wrong = "BCDF-BCDFBCDF"
    private let peer: [[UInt8]] = [[192, 0, 2, 1]]
    private let other: [[UInt8]] = [[192, 0, 2, 2]]

    init() throws {
      database = try PostgresDatabase()
    }

    private func daemons() async throws -> [ListeningDaemon] {
      var daemons: [ListeningDaemon] = []
      for _ in 0..<2 {
        daemons.append(try await ListeningDaemon(database, world, listens: false))
      }
      return daemons
    }

    private func stop(_ daemons: [ListeningDaemon]) async {
      for daemon in daemons { await daemon.stop() }
      await database.stop()
    }

    @Test("an address has six wrong codes over all servers, also those that start later")
    func perAddress() async throws {
      let daemons = try await daemons()
      for number in 0..<AttemptLimiter.peerCapacity {
        #expect(await daemons[number % 2].pair(wrong, from: peer) == .badCode)
      }
      let third = try await ListeningDaemon(database, world, listens: false)
      for daemon in daemons + [third] {
        #expect(await daemon.pair(wrong, from: peer) == .tooManyTries)
        #expect(await daemon.pair(wrong, from: other) == .badCode)
      }
      // The address is nowhere, nor a hash of it that anybody could compute.
      let connection = try await database.open()
      let keys = try await connection.run("SELECT key FROM atrest.pairing_attempt")
        .compactMap { $0.first?.bytea }
      #expect(keys.count == 3)
      for key in peer + other + [AttemptLimiter.everybody] {
        #expect(!keys.contains(key) && !keys.contains(Secret.hash(key)))
      }
      await stop(daemons + [third])
    }

    @Test("codes that are tried at the same moment on several servers count each")
    func atOnce() async throws {
      let daemons = try await daemons()
      let answers = await withTaskGroup(of: Status?.self) { group in
        for number in 0..<10 {
          group.addTask { [wrong, peer] in await daemons[number % 2].pair(wrong, from: peer) }
        }
        return await group.reduce(into: []) { $0.append($1) }
      }
      #expect(answers.count { $0 == .badCode } == AttemptLimiter.peerCapacity)
      #expect(answers.count { $0 == .tooManyTries } == 4)
      await stop(daemons)
    }

    @Test("a code that is right costs no try, and is not looked at where none is left")
    func right() async throws {
      let daemons = try await daemons()
      let made = await outcome { later throws(Status) in
        try daemons[0].admin.addAccount(AccountRequest(name: "kim").packed, answer: later)
      }
      var code = try Invitation(unpacking: try made.reply).code
      for _ in 0..<AttemptLimiter.peerCapacity {
        _ = await daemons[0].pair(wrong, from: peer)
      }
      let connection = try await database.open()
      let spent = "SELECT sum(spent)::int8 FROM atrest.pairing_attempt"
      let before = try await connection.run(spent)
      #expect(await daemons[1].pair(code, from: peer) == .tooManyTries)
      #expect(await daemons[1].pair(code, from: other) == nil)
      #expect(try await connection.run(spent) == before)
      // What is full again is forgotten with the next wrong code, however long ago that was.
      try await connection.run(
        "UPDATE atrest.pairing_attempt SET since_ms = -9223372036854775808, full_ms = 1")
      code.replaceSubrange(code.startIndex..<code.endIndex, with: wrong)
      #expect(await daemons[1].pair(code, from: other) == .badCode)
      #expect(try await connection.run(spent) == [[.int8(2)]])
      await stop(daemons)
    }
  }
}
