// SPDX-License-Identifier: Apache-2.0
// Test support for pending devices: waiting calls, an approving device, and timers under the test's
// control.

import AtrestDomain
import AtrestHTTP2
import AtrestRPC
import AtrestReplication
import AtrestTestSupport
import AtrestWire
import Foundation
import Synchronization
import Testing

@testable import AtrestServer

/// A waiting Pair call, as the transport holds it.
final class Caller: Sendable {
  let answers = Recorder<UnaryOutcome>()
  private let ends = Mutex<[@Sendable () -> Void]>([])

  /// Starts the call. Returns when the server has decided whether it waits.
  init(
    _ devices: DevicesService, _ queue: CommitQueue, _ code: String, name: String = "laptop",
    nonce: [UInt8] = []
  ) async {
    let bytes = PairRequest(code: code, deviceName: name, nonce: nonce).encoded
    let answer = Answer { [answers] outcome, _ in answers.note(outcome) }
    do throws(Status) {
      let outcome = try devices.pair(
        bytes, onEnd: { end in ends.withLock { $0.append(end) } }, answer: { answer })
      if case .later = outcome {} else { answers.note(outcome) }
    } catch {
      answers.note(.fail(error))
    }
    await queue.settle()
  }

  /// The caller disconnects.
  func hangUp() {
    for end in ends.withLock({ $0 }) { end() }
  }

  var welcome: PairResponse {
    get async throws { try PairResponse(decoding: try await answers.next().reply) }
  }

  var failure: Status? {
    get async throws { try await answers.next().failure }
  }
}

extension CommitQueue {
  /// Waits until no job waits. One more job would prove nothing: turns are given by the time that
  /// each party took, so it may be done before jobs that were submitted earlier.
  func settle() async {
    await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
      interleave { [self] store in
        if store != nil, waitingBytes > 0 { return true }
        done.resume()
        return false
      }
    }
  }
}

/// An account with two devices, and a service whose timers the test fires.
struct ApprovalScene {
  let storage: Storage
  let devices: DevicesService
  let timers = Recorder<@Sendable () -> Void>()
  let kim: DeviceSession
  let tab: DeviceSession
  let nonce = [UInt8](repeating: 7, count: 16)

  init() throws {
    storage = try Storage()
    let timers = timers
    devices = DevicesService(
      queue: storage.queue, registry: storage.registry, environment: storage.world.environment,
      logger: quiet, wake: { _, work in timers.note(work) })
    kim = try storage.session(phone)
    tab = try storage.session(tablet)
  }

  func invite(_ session: DeviceSession? = nil) async throws -> String {
    let outcome = await outcome { later throws(Status) in
      try devices.invite(session ?? kim, [], answer: later)
    }
    let answer = try InviteResponse(decoding: try outcome.reply)
    #expect(answer.needsApproval)
    return answer.code
  }

  func call(
    _ code: String, name: String = "laptop", nonce: [UInt8]? = nil
  ) async -> Caller {
    await Caller(devices, storage.queue, code, name: name, nonce: nonce ?? self.nonce)
  }

  func pendingDevices(_ session: DeviceSession? = nil) async throws -> [PendingDevice] {
    let outcome = await outcome { later throws(Status) in
      try devices.pendingDevices(session ?? kim, [], answer: later)
    }
    return try ListPendingDevicesResponse(decoding: try outcome.reply).pendingDevices
  }

  func decide(
    _ handle: UInt64, _ allow: Bool, by session: DeviceSession? = nil
  ) async throws -> ResolvePendingDeviceResponse.Admitted? {
    let bytes = ResolvePendingDeviceRequest(handle: handle, allow: allow).encoded
    let outcome = await outcome { later throws(Status) in
      try devices.decide(session ?? kim, bytes, answer: later)
    }
    return try ResolvePendingDeviceResponse(decoding: try outcome.reply).admitted
  }

  func stored() async throws -> [DeviceEntry] {
    await storage.queue.close()
    let store = try openStore(storage.folder)
    defer { store.close() }
    return try store.transaction { t throws(StoreError) in
      try t.devices.list(of: AccountID(rawValue: 1))
    }
  }
}
