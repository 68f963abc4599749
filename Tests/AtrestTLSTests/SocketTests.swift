// SPDX-License-Identifier: Apache-2.0
// gRPC over TLS on real sockets: calls, many connections, untrusted peers, certificate changes
// under load.

import AtrestHTTP2
import AtrestRPC
import AtrestSockets
import AtrestTestSupport
import Synchronization
import Testing

@testable import AtrestRPC
@testable import AtrestTLS

/// Serialized, because some of the tests open very many sockets.
@Suite(.serialized, .timeLimit(.minutes(20))) struct SocketTests {
  @Test("calls and streams work as they do in the clear")
  func echo() async throws {
    let world = try World()
    let channel = try world.channel(world.pinned())
    #expect(try await channel.echo([1, 2, 3]) == [1, 2, 3])
    var random = SeededRandom(seed: 1)
    let large = (0..<250_000).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    #expect(try await channel.echo(large) == large)
    var iterator = channel.serverStream("/test.v1.Echo/Open", []).makeAsyncIterator()
    let writer = try await world.writers.next()
    // A slow reader: windows, sockets and queues fill, and the server waits.
    let sender = Task {
      for index in 0..<200 {
        guard await writer.sendWhenReady([UInt8(index)] + large.prefix(60_000)) == .queued else {
          throw Unexpected("message \(index) was not taken")
        }
      }
      writer.finish()
    }
    for index in 0..<200 {
      let message = try await iterator.next()
      #expect(message?.first == UInt8(index) && message?.count == 60_001)
    }
    #expect(try await iterator.next() == nil)
    try await sender.value
    #expect(channel.tlsFailure == nil)
    await channel.close()
    await world.stop()
    #expect(world.server.statistics.failedHandshakes == 0)
    #expect(world.server.statistics.activeConnections == 0)
  }

  @Test("flow control passes through: neither side holds more than its bound")
  func backpressure() async throws {
    let identity = try ServerIdentity.generate()
    let (server, client) = (try ServerTLS(identity), try ClientTLS(.pinned(identity.fingerprint)))
    let (near, far) = (try Shard(label: "test.near"), try Shard(label: "test.far"))
    let limit = 100_000
    let mostHeld = Signal<Int>()
    let listener = try Listener(on: try SocketAddress(parsing: "127.0.0.1:0"), shards: [far]) {
      _, _ in
      let echo = EchoHandler(limit: limit)
      echo.onClosed = { [unowned echo] in mostHeld.send(echo.mostHeld) }
      return TLSHandler(echo, scratch: TLSScratch(), handshakeTimeout: .seconds(60)) {
        () throws(TLSError) in try TLSSession(server: server)
      }
    }
    listener.start()
    let address = listener.address
    var random = SeededRandom(seed: 2)
    let question = (0..<8_000_000).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    let answer = Signal<[UInt8]>()
    near.async {
      let asker = AskingHandler(question)
      asker.onClosed = { [unowned asker] in answer.send(asker.answer) }
      SocketConnection.connect(
        to: address, on: near, timeout: .seconds(60),
        handler: TLSHandler(asker, scratch: TLSScratch(), handshakeTimeout: nil) {
          () throws(TLSError) in try TLSSession(client: client)
        })
    }
    #expect(try await answer.next() == question)
    // One delivery is 64 KiB of ciphertext plus the rest of an earlier record.
    #expect(try await mostHeld.next() < limit + 65_536 + 16_384)
    await listener.stop()
    await near.stop()
    await far.stop()
  }

  @Test("two hundred connections at once")
  func crowd() async throws {
    let world = try World()
    let tls = try world.pinned()
    let shard = try Shard(label: "test.crowd")
    var channels: [GRPCChannel] = []
    for _ in 0..<200 { channels.append(try world.channel(tls, shard: shard)) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (index, channel) in channels.enumerated() {
        group.addTask {
          for round in 0..<5 {
            let request = [UInt8(index), UInt8(round)]
            guard try await channel.echo(request) == request else { throw Unexpected("echo") }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(world.server.statistics.activeConnections == 200)
    #expect(world.server.statistics.callsByCode == [.ok: 1_000])
    for channel in channels { await channel.close() }
    await shard.stop()
    await world.stop()
  }

  @Test("a stranger's certificate is told apart from a server that is not there")
  func strangers() async throws {
    let world = try World()
    let wrong = try world.channel(
      ClientTLS(.pinned(try ServerIdentity.generate().fingerprint)))
    let status = try await failure { () throws(Status) in try await wrong.echo([]) }
    #expect(status == Status(.unavailable, TLSError.distrusted(.pinMismatch).userMessage))
    #expect(wrong.tlsFailure == .distrusted(.pinMismatch))
    // It has a second address without a listener: the first address's error must be reported.
    guard case .ipv4(_, let port) = world.address else { throw Unexpected("not IPv4") }
    let named = try world.channel(
      ClientTLS(.pinned(try ServerIdentity.generate().fingerprint)),
      to: .host("localhost", port: port))
    let second = try await failure { () throws(Status) in try await named.echo([]) }
    #expect(second == status && named.tlsFailure == .distrusted(.pinMismatch))
    await named.close()
    let unknown = try world.channel(ClientTLS(.system(name: "localhost")))
    _ = try await failure { () throws(Status) in try await unknown.echo([]) }
    #expect(unknown.tlsFailure == .distrusted(.unknownIssuer))
    let right = try world.channel(world.pinned())
    #expect(try await right.echo([1]) == [1])
    await world.stop()
    let gone = try await failure { () throws(Status) in try await right.echo([1]) }
    #expect(gone.code == .unavailable && right.tlsFailure == nil)
    for channel in [wrong, unknown, right] { await channel.close() }
    #expect(world.server.statistics.failedHandshakes == 3)
    #expect(world.server.statistics.totalCalls == 1)
  }

  @Test("plaintext and TLS do not understand each other, and say so")
  func mixedUp() async throws {
    let clear = try World(isEncrypted: false)
    let encrypted = try World()
    let one = try clear.channel(encrypted.pinned())
    let status = try await failure { () throws(Status) in try await one.echo([]) }
    #expect(status == Status(.unavailable, TLSError.notTLS.userMessage))
    let two = try encrypted.channel(nil)
    let other = try await failure { () throws(Status) in try await two.echo([]) }
    #expect(other.code == .unavailable)
    for channel in [one, two] { await channel.close() }
    for world in [clear, encrypted] { await world.stop() }
    #expect(encrypted.server.statistics.totalCalls == 0)
    #expect(encrypted.server.statistics.failedHandshakes > 0)
  }

  @Test("a handshake that stalls is cut, whatever it began with")
  func stall() async throws {
    let world = try World { $0.limits.handshakeTimeout = .milliseconds(100) }
    let sockets = try ([[], [22], [22, 3, 1, 2, 0, 1, 0, 1, 252, 3, 3]] as [[UInt8]]).map { bytes in
      let socket = try RawSocket(to: world.address)
      socket.send(bytes)
      return socket
    }
    for socket in sockets {
      #expect(try await blocking { try socket.receiveAll() } == [])
      socket.close()
    }
    #expect(world.server.statistics.failedHandshakes == 3)
    await world.stop()
  }

  @Test("a drain does not wait for a handshake that stalls")
  func drain() async throws {
    let world = try World { $0.limits.handshakeTimeout = .seconds(3_600) }
    let socket = try RawSocket(to: world.address)
    socket.send([22, 3, 1])
    // An answered call proves that the shards are running; the other connection came first.
    let channel = try world.channel(world.pinned())
    _ = try await channel.echo([])
    await channel.close()
    await world.stop()
    #expect(try await blocking { try socket.receiveAll() } == [])
    socket.close()
    #expect(world.server.statistics.activeConnections == 0)
  }

  @Test("garbage on a socket ends that connection and no other")
  func garbage() async throws {
    let world = try World()
    let channel = try world.channel(world.pinned())
    for seed in 1...50 as ClosedRange<UInt64> {
      var random = SeededRandom(seed: seed)
      let socket = try RawSocket(to: world.address)
      var bytes = (0..<3_000).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      if random.oneIn(2) { bytes.replaceSubrange(0..<5, with: [22, 3, 1, 8, 0]) }
      socket.send(bytes)
      _ = try await blocking { try socket.receiveAll() }
      socket.close()
      #expect(try await channel.echo([UInt8(seed)]) == [UInt8(seed)], "seed \(seed)")
    }
    await channel.close()
    await world.stop()
    #expect(world.server.statistics.failedHandshakes == 50)
  }

  @Test("a certificate that changes under load drops no stream")
  func rotation() async throws {
    let world = try World()
    var streams: [(ResponseStream.AsyncIterator, StreamWriter, GRPCChannel)] = []
    for _ in 0..<10 {
      let channel = try world.channel(world.pinned())
      let iterator = channel.serverStream("/test.v1.Echo/Open", []).makeAsyncIterator()
      streams.append((iterator, try await world.writers.next(), channel))
    }
    let old = try world.pinned()
    let callers = Task {
      // New connections all the while. Each trusts the certificate that was current when it was
      // created, or a later one.
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<4 {
          group.addTask {
            for round in 0..<25 {
              let channel = try world.channel(world.pinned())
              do throws(Status) {
                guard try await channel.echo([UInt8(round)]) == [UInt8(round)] else {
                  throw Status(.internal, "echo")
                }
              } catch {
                // The certificate changed between reading it and the handshake.
                guard channel.tlsFailure == .distrusted(.pinMismatch) else {
                  throw Unexpected("\(error)")
                }
              }
              await channel.close()
            }
          }
        }
        try await group.waitForAll()
      }
    }
    for _ in 0..<20 {
      try world.box.replace(with: try ServerIdentity.generate())
      let channel = try world.channel(world.pinned())
      #expect(try await channel.echo([1]) == [1])
      await channel.close()
    }
    try await callers.value
    for (index, stream) in streams.enumerated() {
      var (iterator, writer, _) = stream
      #expect(writer.send([UInt8(index)]) == .queued)
      #expect(try await iterator.next() == [UInt8(index)])
      writer.finish()
      #expect(try await iterator.next() == nil)
    }
    let late = try world.channel(old)
    _ = try await failure { () throws(Status) in try await late.echo([]) }
    #expect(late.tlsFailure == .distrusted(.pinMismatch))
    for (_, _, channel) in streams { await channel.close() }
    await late.close()
    await world.stop()
  }
}
