// SPDX-License-Identifier: Apache-2.0
// Maps epoll events to the connections and watches of a shard.

import CAtrestEpoll
import Glibc

/// A shard's epoll descriptor and what it watches. Touched only in the shard's turns.
///
/// Events carry a slot and its generation instead of a descriptor: a descriptor closed earlier in
/// the same batch may already have been reused.
final class SocketTable {
  /// Who hears of a descriptor's events.
  enum Owner {
    case connection(SocketConnection)
    case watch(DescriptorWatch)
  }

  let epoll: CInt
  private var slots: [(owner: Owner?, generation: UInt32)] = []
  private var free: [Int] = []
  private var events = [atrest_epoll_event](
    repeating: atrest_epoll_event(), count: Int(ATREST_EPOLL_BATCH))

  /// Receive buffer shared by all connections of the shard, so memory does not grow with their
  /// number.
  let readBuffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
  /// Output buffer shared by all connections of the shard.
  var writeBuffer: [UInt8] = []

  init() throws(SocketError) {
    epoll = atrest_epoll_create()
    guard epoll >= 0 else { throw SocketError(.prepare, errno: errno) }
  }

  deinit {
    // The source that watches the epoll descriptor closes it.
    readBuffer.deallocate()
  }

  var count: Int { slots.count - free.count }

  var all: [SocketConnection] {
    slots.compactMap { if case .connection(let connection) = $0.owner { connection } else { nil } }
  }

  var watches: [DescriptorWatch] {
    slots.compactMap { if case .watch(let watch) = $0.owner { watch } else { nil } }
  }

  /// Starts watching a descriptor.
  /// - Returns: The key for `modify` and `remove`.
  func add(
    _ owner: Owner, descriptor: CInt, events: UInt32
  ) throws(SocketError) -> UInt64 {
    let slot: Int
    if let reused = free.last { slot = reused } else { slot = slots.count }
    let generation = slot < slots.count ? slots[slot].generation &+ 1 : 1
    let key = UInt64(generation) << 32 | UInt64(slot)
    guard atrest_epoll_add(epoll, descriptor, events, key) == 0 else {
      throw SocketError(.prepare, errno: errno)
    }
    if slot < slots.count {
      free.removeLast()
      slots[slot] = (owner, generation)
    } else {
      slots.append((owner, generation))
    }
    return key
  }

  func modify(_ key: UInt64, descriptor: CInt, events: UInt32) {
    // Fails only for a descriptor that is not in the set, which would be our own bug.
    let result = atrest_epoll_modify(epoll, descriptor, events, key)
    assert(result == 0)
  }

  /// Stops watching. Call before closing the descriptor.
  func remove(_ key: UInt64, descriptor: CInt) {
    _ = atrest_epoll_remove(epoll, descriptor)
    let slot = Int(key & 0xffff_ffff)
    slots[slot].owner = nil
    free.append(slot)
  }

  /// Fetches a batch of events without blocking. Returns their number.
  func poll() -> Int {
    Int(max(0, atrest_epoll_poll(epoll, &events, CInt(events.count))))
  }

  /// Delivers event `index` of the batch to its owner, if that still exists.
  func serve(_ index: Int) {
    let event = events[index]
    let slot = slots[Int(event.key & 0xffff_ffff)]
    guard slot.generation == UInt32(event.key >> 32) else { return }
    switch slot.owner {
    case .connection(let connection): connection.ready(event.events)
    case .watch(let watch): watch.ready(event.events)
    case nil: break
    }
  }
}
