// SPDX-License-Identifier: Apache-2.0
// The model behind a real socket: reconciliation traffic, and the identity of calls.

import AtrestDomain
import AtrestHTTP2
import AtrestRPC
import AtrestReplication
import AtrestSockets
import AtrestSync
import AtrestWire
import Foundation
import Testing

@testable import AtrestClient

@Suite("Over a real connection", .timeLimit(.minutes(20)))
struct WireTests {
  /// A loopback server that answers as the model does and counts its connections' bytes.
  private final class Loopback: Sendable {
    let model = ModelServer(clock: TestClock())
    let bytes = Shared(0)
    let server: GRPCServer
    let address: String

    init() throws {
      let model = model
      var router = RPCRouter()
      router.addService("atrest.sync.v1.Sync", authorize: Self.credential) { service in
        service.unary("Exchange") { call, bytes in
          .reply(
            try model.exchange(ExchangeRequest(decoding: bytes), as: call.principal).encoded)
        }
        service.unary("Reconcile") { _, bytes in
          .reply(try model.reconcile(ReconcileRequest(decoding: bytes)).encoded)
        }
      }
      router.addService("atrest.sync.v1.Devices", authorize: Self.credential) { service in
        service.unary("Renew") { _, bytes in
          .reply(try model.renew(RenewRequest(decoding: bytes)).encoded)
        }
      }
      var configuration = GRPCServer.Configuration()
      configuration.shardCount = 1
      server = try GRPCServer(router: router, configuration: configuration)
      let bytes = bytes
      address = try server.listen(on: .ipv4(octets: [127, 0, 0, 1], port: 0)) {
        Counting($0, bytes)
      }.description
    }

    private static func credential(_ head: CallHead) -> Authorization<String> {
      guard let text = head.metadata.text("authorization"), text.hasPrefix("Bearer ") else {
        return .refused(Status(.unauthenticated, "Who are you?"))
      }
      return .granted(String(text.dropFirst("Bearer ".count)))
    }
  }

  /// Counts the bytes that pass through.
  private final class Counting: ByteStreamHandler {
    private let inner: any ByteStreamHandler
    private let bytes: Shared<Int>

    init(_ inner: any ByteStreamHandler, _ bytes: Shared<Int>) {
      self.inner = inner
      self.bytes = bytes
    }

    func opened(by owner: any ByteStreamOwner, at now: Instant) {
      inner.opened(by: owner, at: now)
    }
    func receive(_ bytes: UnsafeRawBufferPointer, at now: Instant) {
      self.bytes.update { $0 += bytes.count }
      inner.receive(bytes, at: now)
    }
    func endOfInput(at now: Instant) { inner.endOfInput(at: now) }
    func appendOutput(to buffer: inout [UInt8]) {
      let before = buffer.count
      inner.appendOutput(to: &buffer)
      let after = buffer.count
      bytes.update { $0 += after - before }
    }
    var isFinished: Bool { inner.isFinished }
    var acceptsInput: Bool { inner.acceptsInput }
    var nextDeadline: Instant? { inner.nextDeadline }
    func deadlineReached(at now: Instant) { inner.deadlineReached(at: now) }
    func closed(_ reason: CloseReason, at now: Instant) { inner.closed(reason, at: now) }
  }

  @Test("comparing 10,000 equal records costs no more than 400 bytes, headers included")
  func equal() async throws {
    let loopback = try Loopback()
    let test = try TestReplica(1)
    try test.replica.transaction { transaction in
      for _ in 0..<10_000 { try transaction.save(WaterEntry.sample()) }
    }
    try await test.sync(loopback.model)
    let connection = ReplicaConnection(.platform)
    let transport = try ServerClient(
      server: ServerAddress(parsing: loopback.address), token: "secret-1", connection: connection)
    try await test.engine(transport).sync()
    let before = loopback.bytes.value
    var reconciler = Reconciler(held: try await test.replica.hashes())
    while let request = reconciler.next() {
      let step = try reconciler.take(try await transport.reconcile(request))
      #expect(step.records.isEmpty && step.wanted.isEmpty)
    }
    let cost = loopback.bytes.value - before
    #expect(cost > 50 && cost <= 400, "\(cost) bytes")
    await connection.close()
    await loopback.server.drain(grace: .zero)
  }

  @Test("a copy asks for an identity with its old token, and then calls with its new one")
  func renew() async throws {
    let loopback = try Loopback()
    let original = try TestReplica(1)
    try await original.replica.save(WaterEntry.sample())
    try await original.sync(loopback.model)
    let copy = try original.copied()
    for test in [original, copy] { try await test.replica.save(WaterEntry.sample()) }
    try await original.sync(loopback.model)
    let connection = ReplicaConnection(.platform)
    let transport = try ServerClient(
      server: ServerAddress(parsing: loopback.address), token: "secret-1", connection: connection)
    let report = try await copy.engine(transport).sync()
    #expect(report.isRenewed && report.pushed == 1)
    let outboxes = loopback.model.state.withLock { $0.outboxes }
    #expect(Set(outboxes.keys) == ["secret-1", "renewed-1"])
    #expect(loopback.model.records == (try copy.replica.allRecords()))
    await connection.close()
    await loopback.server.drain(grace: .zero)
  }
}
