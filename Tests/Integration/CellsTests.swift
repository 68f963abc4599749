// SPDX-License-Identifier: Apache-2.0
// Servers whose accounts are spread over several databases.

import AtrestClient
import AtrestHTTP2
import AtrestProtocol
import AtrestRPC
import AtrestReplication
import AtrestTestSupport
import AtrestWire
import Testing

@testable import AtrestServer

extension NodesTests {
  @Suite(.timeLimit(.minutes(20))) struct CellsTests {
    private let one: CellNumber
    private let two: CellNumber

    init() throws {
      one = try #require(CellNumber(1))
      two = try #require(CellNumber(2))
    }

    @Test("accounts of one name in two cells know nothing of each other, on any server of both")
    func apart() async throws {
      let nodes = try await TestNodes(cells: [[one, two], [two, one]])
      let devices = [
        try await nodes.device("phone", through: 0, in: one),
        try await nodes.device("tablet", through: 1, in: one),
        try await nodes.device("phone", through: 0, in: two),
        try await nodes.device("tablet", through: 1, in: two),
      ]
      for (index, device) in devices.enumerated() {
        try await device.replica.save(try water(100 + index))
        _ = try await device.replica.sync()
      }
      for (a, b) in [(devices[0], devices[1]), (devices[2], devices[3])] {
        // One server may not have heard of the other's commit yet.
        try await until {
          for device in [a, b] { _ = try await device.replica.sync() }
          return try a.replica.digest() == b.replica.digest()
        }
        #expect(try await a.replica.records(of: WaterEntry.self).count == 2)
        #expect(try await a.replica.devices().map(\.name).sorted() == ["phone", "tablet"])
      }
      #expect(try devices[0].replica.digest() != devices[2].replica.digest())
      await nodes.stop()
    }

    @Test("a device lets another one in, and both are of its cell")
    func invited() async throws {
      let nodes = try await TestNodes(cells: [[one, two]])
      let phone = try await nodes.device("phone", through: 0, in: two)
      let invitation = try await phone.replica.invite(withoutApproval: true)
      #expect(invitation.link.code.count == 16)
      let tablet = try TestDevice()
      try await tablet.replica.pair(invitation.link, name: "tablet")
      try await tablet.replica.save(try water(100))
      _ = try await tablet.replica.sync()
      _ = try await phone.replica.sync()
      #expect(try phone.replica.digest() == tablet.replica.digest())
      await nodes.stop()
    }

    @Test("a server without the account's cell says so, and ends nobody's access")
    func notServed() async throws {
      let nodes = try await TestNodes(cells: [[one, two], [one]])
      let phone = try await nodes.device("phone", through: 0, in: two)
      try await phone.replica.save(try water(100))
      try await nodes.restart(order: [1, 0])
      let error = await #expect(throws: SyncError.self) { _ = try await phone.replica.sync() }
      #expect(error != .accessEnded)
      try await nodes.restart(order: [1, 0])
      _ = try await phone.replica.sync()
      #expect(try phone.replica.pending().isEmpty)
      await nodes.stop()
    }

    @Test("an account that is moved there and back keeps its devices and what they write meanwhile")
    func moved() async throws {
      let nodes = try await TestNodes(cells: [[one, two], [one, two]])
      let phone = try await nodes.device("phone", through: 0, in: one)
      let tablet = try await nodes.device("tablet", through: 1, in: one)
      let watching = Task { try await tablet.replica.watch { _, _ in } }
      var count = 0
      for (from, to) in [(one, two), (two, one), (one, two)] {
        for _ in 0..<5 {
          try await phone.replica.save(try water(100 + count))
          _ = try? await phone.replica.sync()
          count += 1
        }
        let request = MoveAccountRequest(account: "home", cell: UInt32(to.rawValue)).packed
        async let report = nodes.command(Method.Admin.moveAccount, request, to: 1, in: from)
        for _ in 0..<5 {
          try await phone.replica.save(try water(100 + count))
          try await tablet.replica.save(try water(500 + count))
          // It may be told to come back.
          _ = try? await phone.replica.sync()
          _ = try? await tablet.replica.sync()
          count += 1
        }
        #expect(try MoveAccountResponse(unpacking: await report).devices == 2)
        try await until {
          for device in [phone, tablet] { _ = try await device.replica.sync() }
          return try phone.replica.digest() == tablet.replica.digest()
        }
        #expect(try await phone.replica.devices().map(\.name).sorted() == ["phone", "tablet"])
      }
      #expect(try await phone.replica.records(of: WaterEntry.self).count == count + 15)
      #expect(try await phone.replica.conflicts().isEmpty)
      watching.cancel()
      await nodes.stop()
    }

    @Test("a cell that is away when the server starts keeps nobody waiting, and is served later")
    func away() async throws {
      let nodes = try await TestNodes(cells: [[one, two]])
      let phone = try await nodes.device("phone", through: 0, in: one)
      let tablet = try await nodes.device("tablet", through: 0, in: two)
      for device in [phone, tablet] { try await device.replica.save(try water(100)) }
      try await nodes.restart(order: [0], without: two)
      _ = try await phone.replica.sync()
      #expect(try phone.replica.pending().isEmpty)
      await #expect(throws: SyncError.self) { _ = try await tablet.replica.sync() }
      try await nodes.letIn(two)
      try await until {
        _ = try? await tablet.replica.sync()
        return try tablet.replica.pending().isEmpty
      }
      await nodes.stop()
    }

    @Test("the owner's commands concern the cell that they name")
    func owner() async throws {
      let nodes = try await TestNodes(cells: [[one, two]])
      _ = try await nodes.device("phone", through: 0, in: two)
      let empty = EmptyMessage().packed
      let list = try ListCellsResponse(
        unpacking: await nodes.command(Method.Admin.listCells, empty, to: 0))
      #expect(list.cells == [1, 2])
      for (cell, count) in [(one, 0), (two, 1)] {
        let accounts = try ListAccountsResponse(
          unpacking: await nodes.command(Method.Admin.listAccounts, empty, to: 0, in: cell))
        #expect(accounts.accounts.count == count)
      }
      let status = await #expect(throws: Status.self) {
        let three = try #require(CellNumber(3))
        _ = try await nodes.command(Method.Admin.listAccounts, empty, to: 0, in: three)
      }
      #expect(status?.code == .notFound)
      await nodes.stop()
    }
  }
}
