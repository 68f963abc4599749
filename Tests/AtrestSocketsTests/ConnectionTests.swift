// SPDX-License-Identifier: Apache-2.0
// Bytes through real sockets: order, end of stream, backpressure, limits.

import AtrestHTTP2
import Glibc
import Synchronization
import Testing

@testable import AtrestSockets

extension Sockets {
  @Suite(.timeLimit(.minutes(20))) struct ConnectionTests {
    static func socketPath() -> String {
      "/tmp/atrest-test-\(getpid())-\(UInt32.random(in: 0...(.max))).sock"
    }

    @Test(
      "bytes come back as they were sent, over TCP and over a Unix socket", arguments: [0, 1, 2])
    func echo(kind: Int) async throws {
      let path = Self.socketPath()
      let server = try EchoServer(on: ["127.0.0.1:0", "[::1]:0", path][kind], shards: 2)
      let address = server.address
      try await blocking {
        let sent = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        for size in [1, 64, 65_536, 65_537, 300_000] {
          let socket = try RawSocket(to: address)
          defer { socket.close() }
          try socket.send(Array(sent[..<size]))
          let back = try socket.receive(size)
          #expect(back == Array(sent[..<size]))
        }
      }
      await server.stop()
      #expect(server.budget.count == 0)
    }

    @Test("a peer that ends its output still gets every byte, then the end")
    func halfClose() async throws {
      let server = try EchoServer()
      let address = server.address
      try await blocking {
        let socket = try RawSocket(to: address)
        defer { socket.close() }
        let bytes = [UInt8](repeating: 9, count: 200_000)
        try socket.send(bytes)
        socket.endOutput()
        #expect(try socket.receive(bytes.count + 1) == bytes)
      }
      #expect(await server.sink.next() == .finished)
      await server.stop()
    }

    @Test("a reset is told to the handler once, and costs nothing else")
    func reset() async throws {
      let server = try EchoServer()
      let address = server.address
      try await blocking {
        let socket = try RawSocket(to: address)
        try socket.send([1])
        _ = try socket.receive(1)
        socket.reset()
      }
      #expect(await server.sink.next() == .reset)
      await server.stop()
      #expect(server.sink.count == 0)
    }

    @Test("a handler that is finished has its last bytes delivered though input is still unread")
    func orderlyClose() async throws {
      let shard = try Shard(label: "test")
      let reasons = ReasonSink()
      let listener = try Listener(on: try SocketAddress(parsing: "127.0.0.1:0"), shards: [shard]) {
        _, _ in OneAnswer(bytes: [UInt8](repeating: 5, count: 100_000)) { reasons.add($0) }
      }
      listener.start()
      let address = listener.address
      try await blocking {
        let socket = try RawSocket(to: address)
        defer { socket.close() }
        // More than one read takes: closing with unread input would send RST and destroy the
        // response.
        for _ in 0..<8 { _ = socket.sendSome([UInt8](repeating: 1, count: 65_536)) }
        #expect(try socket.receive(100_001).count == 100_000)
      }
      #expect(await reasons.next() == .finished)
      await listener.stop()
      await shard.stop()
    }

    @Test("a peer that does not read holds one helping of output, and gets all of it later")
    func slowReader() async throws {
      let shard = try Shard(label: "test")
      let total = 64 << 20
      let gauge = Gauge()
      let listener = try Listener(on: try SocketAddress(parsing: "127.0.0.1:0"), shards: [shard]) {
        _, _ in Firehose(total: total, gauge: gauge)
      }
      listener.start()
      let address = listener.address
      let socket = try await blocking { try RawSocket(to: address) }
      // The kernel's buffers fill, growing for a while, then bytes are pending in the connection.
      var produced = 0
      var unchanged = 0
      while unchanged < 100, produced < total {
        await shard.perform { shard.sockets.all.first?.needsFlush() }
        let held = await shard.perform { shard.sockets.all.first?.pending.count ?? 0 }
        #expect(held <= Firehose.helping)
        unchanged = held > 0 && gauge.produced == produced ? unchanged + 1 : 0
        produced = gauge.produced
      }
      #expect(produced < total / 2, "output was taken from the handler though none could leave")
      try await blocking {
        defer { socket.close() }
        let received = try socket.receive(total + 1).count
        #expect(received == total)
      }
      await listener.stop()
      await shard.stop()
    }

    @Test("a handler that accepts no input leaves it in the kernel")
    func inputBackpressure() async throws {
      let limit = 128 * 1024
      let shard = try Shard(label: "test")
      let most = Mutex(0)
      let isFull = OneShotEvent()
      let listener = try Listener(on: try SocketAddress(parsing: "127.0.0.1:0"), shards: [shard]) {
        _, _ in
        Greedy(limit: limit) { count in
          most.withLock { $0 = max($0, count) }
          if count >= limit { isFull.signal() }
        }
      }
      listener.start()
      let address = listener.address
      let socket = try await blocking { try RawSocket(to: address) }
      let block = [UInt8](repeating: 3, count: 65_536)
      try await blocking {
        for _ in 0..<limit / block.count { try socket.send(block) }
      }
      await isFull.wait()
      // From here on the peer does not read: the kernel takes what its buffers hold.
      var sent = 0
      for _ in 0..<200 {
        while case let count = socket.sendSome(block), count > 0 { sent += count }
        await shard.perform {}
      }
      #expect(sent < 256 << 20)
      socket.close()
      await listener.stop()
      await shard.stop()
      #expect(most.withLock { $0 } < limit + 65_536)
      #expect(most.withLock { $0 } >= limit)
    }

    @Test("a peer that leaves bytes waiting too long is closed")
    func writeStall() async throws {
      let shard = try Shard(label: "test")
      let reasons = ReasonSink()
      var options = SocketConnection.Options()
      options.writeStallTimeout = .milliseconds(50)
      let listener = try Listener(
        on: try SocketAddress(parsing: "127.0.0.1:0"), shards: [shard], options: options
      ) { _, _ in Firehose(total: 1 << 30, gauge: Gauge()) { reasons.add($0) } }
      listener.start()
      let address = listener.address
      let socket = try await blocking { try RawSocket(to: address) }
      #expect(await reasons.next() == .writeStalled)
      socket.close()
      await listener.stop()
      await shard.stop()
    }

    @Test("connections past the cap are closed at once; a slot given back can be taken")
    func caps() async throws {
      let server = try EchoServer(budget: ConnectionBudget(maxConnections: 3, maxPerPeer: 2))
      let address = server.address
      try await blocking {
        let first = try RawSocket(to: address)
        let second = try RawSocket(to: address)
        for socket in [first, second] {
          try socket.send([1])
          #expect(try socket.receive(1) == [1])
        }
        let third = try RawSocket(to: address)
        #expect(try third.receive(1) == [])
        third.close()
        first.endOutput()
        #expect(try first.receive(1) == [])
        first.close()
        second.close()
      }
      _ = await server.sink.next()
      _ = await server.sink.next()
      // The handler is notified before the slot is released, in one turn of the shard.
      await server.shards[0].perform {}
      try await blocking {
        let fourth = try RawSocket(to: address)
        try fourth.send([4])
        #expect(try fourth.receive(1) == [4])
        fourth.close()
      }
      await server.stop()
    }

    @Test("a client connects, exchanges bytes, and says why it could not")
    func connects() async throws {
      let server = try EchoServer()
      let shard = try Shard(label: "client")
      let address = server.address
      let got: [UInt8] = await withCheckedContinuation { done in
        shard.async {
          SocketConnection.connect(
            to: address, on: shard, timeout: .seconds(120),
            handler: Asker(question: [1, 2, 3]) { done.resume(returning: $0) })
        }
      }
      #expect(got == [1, 2, 3])
      await server.stop()
      let reason: CloseReason = await withCheckedContinuation { done in
        shard.async {
          SocketConnection.connect(
            to: address, on: shard, timeout: .seconds(120),
            handler: Echo { done.resume(returning: $0) })
        }
      }
      #expect(reason == .failed(SocketError(.connect, errno: ECONNREFUSED, address: "\(address)")))
      let missing: CloseReason = await withCheckedContinuation { done in
        shard.async {
          SocketConnection.connect(
            to: .unix(path: "/nowhere/at/all"), on: shard, timeout: .seconds(120),
            handler: Echo { done.resume(returning: $0) })
        }
      }
      guard case .failed(let error) = missing else { throw Unexpected("\(missing)") }
      #expect(error.userMessage.hasPrefix("Nothing answers at /nowhere/at/all."))
      await shard.stop()
    }

    @Test("a Unix socket's file is private, replaced when abandoned, kept when alive, then removed")
    func unixFile() async throws {
      let path = Self.socketPath()
      let first = try EchoServer(on: path)
      var status = stat()
      #expect(lstat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
      #expect {
        try EchoServer(on: path)
      } throws: {
        ($0 as? SocketError)?.userMessage.contains("in use") == true
      }
      await first.stop()
      #expect(lstat(path, &status) != 0)
      // The remains of a killed server.
      let dead = try BoundSocket(listeningOn: .unix(path: path))
      close(dead.descriptor)
      #expect(lstat(path, &status) == 0)
      let second = try EchoServer(on: path)
      await second.stop()
      // A file that is not a socket must not be removed.
      close(open(path, O_CREAT | O_WRONLY, 0o600))
      #expect(throws: SocketError.self) { try EchoServer(on: path) }
      #expect(lstat(path, &status) == 0)
      unlink(path)
    }

    @Test("a listener that was never started can be stopped, twice")
    func neverStarted() async throws {
      let server = try EchoServer(starts: false)
      await server.stop()
      await server.listener.stop()
    }

    #if compiler(>=6.2)
      @Test("a thousand connections of every ending leave no descriptor behind")
      func noLeak() async {
        // In a separate process, where nothing else opens descriptors.
        await #expect(processExitsWith: .success) {
          try await ConnectionTests.churn(10)  // Dispatch opens some on first use.
          let before = try openDescriptors()
          try await ConnectionTests.churn(1_000)
          let after = try openDescriptors()
          precondition(after == before, "\(before) before, \(after) after")
        }
      }
    #endif

    static func churn(_ count: Int) async throws {
      let server = try EchoServer(shards: 2)
      let address = server.address
      try await blocking {
        for index in 0..<count {
          let socket = try RawSocket(to: address)
          try socket.send([1, 2, 3])
          switch index % 4 {
          case 0: socket.reset()
          case 1: socket.close()
          case 2:
            _ = try socket.receive(3)
            socket.endOutput()
            _ = try socket.receive(1)
            socket.close()
          default:
            _ = try socket.receive(3)
            socket.reset()
          }
        }
      }
      await server.stop()
      precondition(server.budget.count == 0)
    }
  }
}
