// SPDX-License-Identifier: Apache-2.0
// Watches an invitation until a device was admitted or rejected, or the invitation expired.

import AtrestDomain
import AtrestReplication
import AtrestSync
import AtrestWire

/// The calls that approving a device needs.
package protocol ApprovalTransport: Sendable {
  /// Lists the devices that wait for approval.
  func pendingDevices() async throws(SyncError) -> ListPendingDevicesResponse
  /// Admits or rejects a device. Throws `.notFound` if it no longer waits.
  func decide(_ request: ResolvePendingDeviceRequest) async throws(SyncError)
    -> ResolvePendingDeviceResponse
}

/// The end of an invitation.
public enum InvitationOutcome: Hashable, Sendable {
  /// A device was admitted under this name.
  case letIn(name: String)
  /// A device was rejected.
  case sentAway
  /// The decision's answer was lost and the device no longer waits. It may or may not have been
  /// admitted.
  case unheard
  /// No device came in time.
  case ended
  /// The person gave no decision. The device keeps waiting until the code expires.
  case undecided
}

/// The approval loop of one invitation.
package struct ApprovalLoop: Sendable {
  package var transport: any ApprovalTransport
  /// The inviting device. Devices that came with another device's invitation are skipped.
  package var inviter: ReplicaID
  /// When the invitation expires, by the server's clock. A pending device has its code's expiry,
  /// which tells apart several invitations of one device. nil matches any of them.
  package var expires: WallTime?
  package var pacing = Pacing()
  /// Time since the loop was created. Monotonic, so changes to the wall clock do not matter.
  package var elapsed: @Sendable () -> Duration = {
    let start = ContinuousClock.now
    return { ContinuousClock.now - start }
  }()

  package init(transport: any ApprovalTransport, inviter: ReplicaID) {
    self.transport = transport
    self.inviter = inviter
  }

  /// Lists pending devices once a second and asks about each one once.
  ///
  /// Lost connections are retried. A device that disconnects before the decision arrives may come
  /// again, and is then asked about again.
  /// - Parameters:
  ///   - lifetime: The invitation's remaining lifetime.
  ///   - decide: Whether to admit the device; nil leaves it undecided and stops.
  ///   - missed: Called if the device had gone when the decision arrived.
  package func run(
    for lifetime: Duration, decide: @Sendable (PendingDevice) async -> Bool?,
    missed: @Sendable (PendingDevice) -> Void
  ) async throws(SyncError) -> InvitationOutcome {
    let start = elapsed()
    var failures = 0
    while elapsed() - start < lifetime {
      var pause = pacing.pollInterval
      do {
        let all = try await transport.pendingDevices().pendingDevices
        failures = 0
        if let pendingDevice = all.first(where: { isOfInvitation($0) }) {
          guard let isLetIn = await decide(pendingDevice) else { return .undecided }
          if let outcome = try await settle(pendingDevice, isLetIn) { return outcome }
          missed(pendingDevice)
        }
      } catch {
        failures += 1
        guard error.isTransient else { throw error }
        let backOff = BackOff(failures: failures, after: error)
        pause = min(pacing.delay(backOff), lifetime - (elapsed() - start))
      }
      do { try await pacing.sleep(pause) } catch { throw .cancelled }
    }
    return .ended
  }

  private func isOfInvitation(_ pendingDevice: PendingDevice) -> Bool {
    pendingDevice.inviter == inviter && (expires == nil || pendingDevice.expires == expires)
  }

  /// Sends the decision; nil if the device had gone.
  private func settle(
    _ pendingDevice: PendingDevice, _ isLetIn: Bool
  ) async throws(SyncError) -> InvitationOutcome? {
    let request = ResolvePendingDeviceRequest(handle: pendingDevice.handle, allow: isLetIn)
    var failures = 0
    while true {
      let backOff: BackOff
      do {
        let answer = try await transport.decide(request)
        return answer.admitted.map { .letIn(name: shown($0.name)) } ?? .sentAway
      } catch {
        // A call before this one may have arrived, and only its answer been lost.
        if error.code == .notFound { return failures == 0 || !isLetIn ? nil : .unheard }
        failures += 1
        // Retry the call; the person is not asked again.
        guard error.isWorthWaiting, failures < pacing.attempts else { throw error }
        backOff = BackOff(failures: failures, after: error)
      }
      do { try await pacing.sleep(pacing.delay(backOff)) } catch { throw .cancelled }
    }
  }
}
