// SPDX-License-Identifier: Apache-2.0
// Test support for pairing where daemons share a store: two services, and news that may get lost.

import AtrestDomain
import AtrestHTTP2
import AtrestRPC
import AtrestReplication
import AtrestTestSupport
import AtrestWire
import Synchronization
import Testing

@testable import AtrestServer

/// The queue of one daemon: its jobs run on the queue that all share.
final class NodeQueue: StorageQueue {
  private let base: CommitQueue
  let announced = Recorder<StoreNews>()
  private let listeners = Mutex<[@Sendable (StoreNews) -> Void]>([])

  init(_ base: CommitQueue) {
    self.base = base
  }

  var counter: EventCounter { base.counter }

  func submit(_ job: any StorageJob) -> Bool { base.submit(job) }

  func announce(_ news: [StoreNews]) {
    for item in news {
      announced.note(item)
      for listener in listeners.withLock({ $0 }) { listener(item) }
    }
  }

  func onNews(_ listener: @escaping @Sendable (StoreNews) -> Void) {
    listeners.withLock { $0.append(listener) }
  }

  func close() async { await base.close() }
}

/// A daemon as far as pairing goes. Its registry knows nobody.
struct Node {
  struct Timer: Sendable {
    let milliseconds: Int64
    let fire: @Sendable () -> Void
  }

  let queue: NodeQueue
  let devices: DevicesService
  let timers = Recorder<Timer>()

  init(_ storage: CommitQueue, _ environment: Environment) {
    let timers = timers
    queue = NodeQueue(storage)
    devices = DevicesService(
      queue: queue, registry: SessionRegistry(trust: CacheTrust(lifetime: .seconds(9)) { nil }),
      environment: environment, logger: quiet,
      wake: { milliseconds, work in timers.note(Timer(milliseconds: milliseconds, fire: work)) })
  }

  /// Whatever this daemon announces, `other` hears.
  func isHeard(by other: Node) {
    queue.onNews { [devices = other.devices] in devices.hear($0) }
  }
}

/// An account with two devices, and two daemons: `home`, which the account's devices call, and
/// `away`, which the pending device calls.
struct PairingNodes {
  let storage: Storage
  let home: Node
  let away: Node
  let kim: DeviceSession
  let tab: DeviceSession
  let nonce = [UInt8](repeating: 7, count: 16)

  /// - Parameter tellsNews: Whether `away` hears what `home` announces.
  init(tellsNews: Bool = true, _ storage: Storage? = nil) throws {
    let storage = try storage ?? Storage()
    self.storage = storage
    home = Node(storage.queue, storage.world.environment)
    away = Node(storage.queue, storage.world.environment)
    kim = try storage.session(phone)
    tab = try storage.session(tablet)
    if tellsNews { home.isHeard(by: away) }
  }

  func invite(_ session: DeviceSession? = nil, withoutApproval: Bool = false) async throws -> String
  {
    let bytes = InviteRequest(withoutApproval: withoutApproval).encoded
    let outcome = await outcome { later throws(Status) in
      try home.devices.invite(session ?? kim, bytes, answer: later)
    }
    return try InviteResponse(decoding: try outcome.reply).code
  }

  func call(_ code: String, at node: Node? = nil, nonce: [UInt8]? = nil) async -> Caller {
    await Caller((node ?? away).devices, storage.queue, code, nonce: nonce ?? self.nonce)
  }

  func pendingDevices(at node: Node? = nil) async throws -> [PendingDevice] {
    let outcome = await outcome { later throws(Status) in
      try (node ?? home).devices.pendingDevices(kim, [], answer: later)
    }
    return try ListPendingDevicesResponse(decoding: try outcome.reply).pendingDevices
  }

  func decide(_ handle: UInt64, _ allow: Bool) async throws -> ReplicaID? {
    let bytes = ResolvePendingDeviceRequest(handle: handle, allow: allow).encoded
    let outcome = await outcome { later throws(Status) in
      try home.devices.decide(kim, bytes, answer: later)
    }
    let admitted = try ResolvePendingDeviceResponse(decoding: try outcome.reply).admitted
    await storage.queue.settle()
    return admitted?.replica
  }

  func revoke(_ replica: ReplicaID) async throws {
    let outcome = await outcome { later throws(Status) in
      try home.devices.revoke(kim, DevicesRevokeRequest(replica: replica).encoded, answer: later)
    }
    _ = try outcome.reply
    await storage.queue.settle()
  }
}
