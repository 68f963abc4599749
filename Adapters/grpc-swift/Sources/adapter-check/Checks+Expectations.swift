// SPDX-License-Identifier: Apache-2.0
// The parts that checks are made of.

import AtrestClient
import AtrestGRPCSwift
import AtrestWire

func expect(_ isTrue: Bool, _ what: String) throws {
  if !isTrue { throw CheckFailure("expected: \(what)") }
}

/// How a call that fails has to.
enum ExpectedFailure {
  case status(Int)
  case cancelled
}

/// Makes a call that fails as expected.
func expect(
  _ expected: ExpectedFailure, _ call: () async throws(CallFailure) -> [UInt8]
) async throws {
  do { _ = try await call() } catch {
    switch (error, expected) {
    case (.status(let number, _, _), .status(let wanted)) where number == wanted: return
    case (.cancelled, .cancelled): return
    default: throw CheckFailure("expected \(expected), and the call ended with \(error)")
    }
  }
  throw CheckFailure("expected \(expected), and the call was answered")
}

/// The call that waits until a device of the account decides.
func pairing(
  _ link: PairingLink, through transport: GRPCSwiftTransport, _ timeout: Duration
) async throws(CallFailure) -> [UInt8] {
  let nonce = (1...32).map { _ in UInt8.random(in: 0...255) }
  let request = PairRequest(code: link.code, deviceName: "watch", nonce: nonce)
  return try await transport.unary(
    Method.Devices.pair, request.encoded, credential: nil, timeout: timeout)
}

/// The error of a server that is not believed.
func distrust(
  of address: ServerAddress, by connector: Connector
) async throws -> SyncError {
  let replica = try Replica.inMemory(connector: connector)
  let link = try PairingLink(server: address, code: "BCDF-GHJKLMNP")
  do { try await replica.pair(link, name: "watch") } catch {
    await replica.disconnect()
    guard error.code == .untrusted else { throw error }
    return error
  }
  throw CheckFailure("the server at \(address.text) was believed")
}

/// Runs `body` while a replica watches, once its first sync is done.
///
/// - Parameter failures: What a lost connection tells the watch.
func watching(
  _ replica: Replica, _ body: (_ failures: AsyncStream<SyncError>) async throws -> Void
) async throws {
  let (failures, told) = AsyncStream.makeStream(of: SyncError.self)
  let (reports, reported) = AsyncStream.makeStream(of: Void.self)
  let watch = Task {
    try await replica.watch { _, error in
      if let error { told.yield(error) } else { reported.yield() }
    }
  }
  defer { watch.cancel() }
  for await _ in reports { break }
  try await body(failures)
  watch.cancel()
  _ = await watch.result
}

/// Waits until a replica holds a record, without a sync of its own.
func arrival(of note: Note, at replica: Replica) async throws {
  var changes = replica.changes.makeAsyncIterator()
  while try await replica.record(of: Note.self, note.id) == nil { _ = await changes.next() }
}
