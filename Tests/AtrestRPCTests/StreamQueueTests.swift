// SPDX-License-Identifier: Apache-2.0
// What waits between a writer and its call, at the edges of its bounds.

import AtrestHTTP2
import AtrestLedger
import AtrestSockets
import AtrestTestSupport
import Synchronization
import Testing

@testable import AtrestRPC

@Suite("What waits for a slow reader", .timeLimit(.minutes(20)))
struct StreamQueueTests {
  /// A call that takes as many messages as it is told to.
  private final class ScriptedCall: StreamQueueTarget, Sendable {
    let room = Mutex(0)
    let sent = Mutex<[[UInt8]]>([])
    let ends = Mutex<[Status]>([])

    func send(_ message: [UInt8], _ compression: MessageCompression?) -> SendResult {
      let isTaken = room.withLock { room in
        guard room > 0 else { return false }
        room -= 1
        return true
      }
      guard isTaken else { return .queueFull }
      sent.withLock { $0.append(message) }
      return .queued
    }

    func endStream(_ status: Status) { ends.withLock { $0.append(status) } }
  }

  private let shard: Shard
  private let call = ScriptedCall()
  private let holder = Balance()
  private let queue: StreamQueue

  init() throws {
    shard = try Shard(label: "test.queue")
    queue = StreamQueue(
      ShardBound<any StreamQueueTarget>(sending: call, to: shard), maxBytes: 100, maxMessages: 3,
      isBlocked: true, charge: Charge(at: holder))
  }

  /// Runs on the shard, and returns when that has happened.
  private func onShard(_ body: @escaping @Sendable () -> Void) async {
    await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
      shard.async {
        body()
        done.resume()
      }
    }
  }

  @Test("holds so many messages, and cuts the reader at one more")
  func messages() async {
    for _ in 0..<3 { #expect(queue.send([1]) == .queued) }
    #expect(queue.isOpen && holder.chargedBytes == 3)
    #expect(queue.send([1]) == .slowReader)
    #expect(queue.send([1]) == .closed)
    await onShard { [queue] in queue.writable() }
    #expect(call.sent.withLock { $0 } == [], "what waited was dropped")
    #expect(call.ends.withLock { $0 } == [.slowReader])
    #expect(holder.chargedBytes == 0)
    await shard.stop()
  }

  @Test("holds so many bytes, and cuts the reader at one more")
  func bytes() async {
    #expect(queue.send([UInt8](repeating: 1, count: 60)) == .queued)
    #expect(queue.send([UInt8](repeating: 1, count: 40)) == .queued)
    #expect(queue.send([1]) == .slowReader)
    await shard.stop()
  }

  @Test("takes any one message, or a large one could never be sent")
  func large() async {
    #expect(queue.send([UInt8](repeating: 1, count: 1_000)) == .queued)
    #expect(queue.send([1]) == .slowReader)
    await shard.stop()
  }

  @Test("sends on when there is room, in order, and the status after the last message")
  func order() async {
    for number: UInt8 in 1...3 { _ = queue.send([number]) }
    queue.finish(.ok)
    call.room.withLock { $0 = 2 }
    await onShard { [queue] in queue.writable() }
    #expect(call.sent.withLock { $0 } == [[1], [2]])
    #expect(call.ends.withLock { $0 } == [])
    call.room.withLock { $0 = 5 }
    await onShard { [queue] in queue.writable() }
    #expect(call.sent.withLock { $0 } == [[1], [2], [3]])
    #expect(call.ends.withLock { $0 } == [.ok])
    #expect(holder.chargedBytes == 0)
    await shard.stop()
  }

  @Test("a writer that waits for room hears of it once, and of the call's end as well")
  func ready() async {
    let heard = Signal<Void>()
    _ = queue.send([1])
    queue.whenReady { heard.send(()) }
    #expect(heard.pending == 0)
    call.room.withLock { $0 = 1 }
    await onShard { [queue] in queue.writable() }
    #expect(heard.pending == 1)
    _ = queue.send([2])
    queue.whenReady { heard.send(()) }
    await onShard { [queue] in queue.ended() }
    #expect(heard.pending == 2)
    await shard.stop()
  }
}
