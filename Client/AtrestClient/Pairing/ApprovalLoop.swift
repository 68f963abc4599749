// SPDX-License-Identifier: Apache-2.0
// Stays by an invitation until somebody came with it and was let in or sent away, or its time is
// over.

import AtrestProtocol
import AtrestReplication

/// What letting somebody in needs of the way to a server.
package protocol ApprovalTransport: Sendable {
  /// Lists who waits.
  func pendingDevices() async throws(SyncError) -> ListPendingDevicesResponse
  /// Lets one in, or sends it away. `.notFound`: it waits no more.
  func decide(_ request: ResolvePendingDeviceRequest) async throws(SyncError)
    -> ResolvePendingDeviceResponse
}

/// How an invitation ended.
public enum InvitationOutcome: Hashable, Sendable {
  /// A device was let in, under this name.
  case letIn(name: String)
  /// A device was sent away.
  case sentAway
  /// The answer to the decision was lost, and the pending device waits no more: it may have been
  /// let in or not.
  case unheard
  /// Nobody came in time.
  case ended
  /// Whoever was asked did not say. The pending device waits on, until the code's time is over.
  case undecided
}

/// One invitation, and who comes with it.
package struct ApprovalLoop: Sendable {
  package var transport: any ApprovalTransport
  /// The device that invites: others' pending devices are others' to ask about.
  package var inviter: ReplicaID
  /// When the invitation ends, by the server's clock: a pending device has the end of the code it
  /// came with, so another link of this device is told apart. Nil: any of this device's.
  package var expires: WallTime?
  package var pacing = Pacing()
  /// Time that has passed since some moment, whatever is done to the device's clock.
  package var elapsed: @Sendable () -> Duration = {
    let start = ContinuousClock.now
    return { ContinuousClock.now - start }
  }()

  package init(transport: any ApprovalTransport, inviter: ReplicaID) {
    self.transport = transport
    self.inviter = inviter
  }

  /// Looks each second who came, and asks about each once.
  ///
  /// A lost connection is waited out. Whoever broke off before the decision arrived may come again,
  /// and is asked about again.
  /// - Parameters:
  ///   - lifetime: How long the invitation lives on, from now.
  ///   - decide: Whether to let it in; nil: leaves it undecided, and stops.
  ///   - missed: Called if the pending device had gone when the decision came.
  package func run(
    for lifetime: Duration, decide: @Sendable (PendingDevice) async -> Bool?,
    missed: @Sendable (PendingDevice) -> Void
  ) async throws(SyncError) -> InvitationOutcome {
    let start = elapsed()
    var failures = 0
    while elapsed() - start < lifetime {
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
      }
      do {
        try await pacing.sleep(
          failures == 0 ? pacing.pollInterval : pacing.delay(after: failures))
      } catch { throw .cancelled }
    }
    return .ended
  }

  private func isOfInvitation(_ pendingDevice: PendingDevice) -> Bool {
    pendingDevice.inviter == inviter && (expires == nil || pendingDevice.expires == expires)
  }

  /// Tells the server; nil if the pending device was gone.
  private func settle(
    _ pendingDevice: PendingDevice, _ isLetIn: Bool
  ) async throws(SyncError) -> InvitationOutcome? {
    let request = ResolvePendingDeviceRequest(handle: pendingDevice.handle, allow: isLetIn)
    var failures = 0
    while true {
      do {
        let answer = try await transport.decide(request)
        return answer.admitted.map { .letIn(name: shown($0.name)) } ?? .sentAway
      } catch {
        // A call before this one may have arrived, and only its answer been lost.
        if error.code == .notFound { return failures == 0 || !isLetIn ? nil : .unheard }
        failures += 1
        // Nobody is asked the same again because a call was lost.
        guard error.isTransient, failures < pacing.attempts else { throw error }
      }
      do { try await pacing.sleep(pacing.delay(after: failures)) } catch { throw .cancelled }
    }
  }
}
