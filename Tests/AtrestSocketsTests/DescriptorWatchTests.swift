// SPDX-License-Identifier: Apache-2.0
// Descriptors that a library owns, watched by a shard.

import AtrestTestSupport
import Glibc
import Testing

@testable import AtrestSockets

extension Sockets {
  @Suite(.timeLimit(.minutes(20))) struct DescriptorWatchTests {
    /// Two connected sockets. The test closes them.
    private func pair() throws -> (near: CInt, far: CInt) {
      var ends: [CInt] = [0, 0]
      let kind = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_NONBLOCK.rawValue)
      guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
        throw Unexpected("socketpair: errno \(errno)")
      }
      return (ends[0], ends[1])
    }

    private func watch(
      _ descriptor: CInt, on shard: Shard, for interest: DescriptorWatch.Readiness,
      ready: Signal<DescriptorWatch.Readiness>, stopped: Signal<Void> = Signal()
    ) async throws -> ShardBound<DescriptorWatch> {
      let made = await shard.perform {
        Result { () throws(SocketError) in
          let watch = try DescriptorWatch(
            descriptor, on: shard, for: interest, onReady: { ready.send($0) },
            onStop: { stopped.send(()) })
          return ShardBound(watch, to: shard)
        }
      }
      return try made.get()
    }

    @Test("input is reported as long as it is unread, and nothing after the watch was cancelled")
    func levelTriggered() async throws {
      let shard = try Shard(label: "test")
      let (near, far) = try pair()
      let ready = Signal<DescriptorWatch.Readiness>()
      let bound = try await watch(near, on: shard, for: .readable, ready: ready)
      #expect(send(far, "x", 1, 0) == 1)
      #expect(try await ready.next() == .readable)
      #expect(try await ready.next() == .readable)
      let before = await shard.perform {
        bound.value.cancel()
        return ready.pending
      }
      // A whole round of the shard, with something else that is ready.
      let other = Signal<DescriptorWatch.Readiness>()
      let second = try await watch(far, on: shard, for: .writable, ready: other)
      #expect(try await other.next() == .writable)
      #expect(ready.pending == before)
      await shard.perform { second.value.cancel() }
      await shard.stop()
      close(near)
      close(far)
    }

    @Test("what a watch waits for can change")
    func interest() async throws {
      let shard = try Shard(label: "test")
      let (near, far) = try pair()
      let ready = Signal<DescriptorWatch.Readiness>()
      let bound = try await watch(near, on: shard, for: .readable, ready: ready)
      await shard.perform { bound.value.wait(for: [.readable, .writable]) }
      #expect(try await ready.next() == .writable)
      await shard.stop()
      close(near)
      close(far)
    }

    @Test("a peer that is gone is reported as both, so that its owner reads and finds out")
    func hangUp() async throws {
      let shard = try Shard(label: "test")
      let (near, far) = try pair()
      let ready = Signal<DescriptorWatch.Readiness>()
      _ = try await watch(near, on: shard, for: .readable, ready: ready)
      close(far)
      #expect(try await ready.next() == [.readable, .writable])
      await shard.stop()
      close(near)
    }

    @Test("a shard that stops ends its watches and says so; afterwards it takes none")
    func stop() async throws {
      let shard = try Shard(label: "test")
      let (near, far) = try pair()
      let (ready, stopped) = (Signal<DescriptorWatch.Readiness>(), Signal<Void>())
      _ = try await watch(near, on: shard, for: .readable, ready: ready, stopped: stopped)
      await shard.stop()
      try await stopped.next()
      #expect(fcntl(near, F_GETFD) >= 0, "it belongs to its owner")
      await #expect(throws: SocketError.self) {
        _ = try await watch(near, on: shard, for: .readable, ready: ready)
      }
      close(near)
      close(far)
    }
  }
}
