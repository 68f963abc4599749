// SPDX-License-Identifier: Apache-2.0
// Derives entitlements on this device from the purchases stored here.

import AtrestDomain
import AtrestEntitlements
import AtrestFiles
import AtrestFoundation
import AtrestReplication
import AtrestSync
import AtrestWire
import Foundation
import GRDB

import struct AtrestReplication.Record

/// The purchases and entitlements of an account as this device verified them.
public struct EntitlementReport: Hashable, Sendable {
  /// What the account may use. `.unknown` without a policy.
  public var state: EntitlementState
  /// The verified facts.
  public var facts: EntitlementFacts
  /// Stored purchases that do not count, by record name, each with the reason.
  public var rejections: [String: EntitlementRejection]
  /// Whether a policy was available for verification.
  public var isVerified: Bool
  /// The number of fasts whose outcome is completed, deleted ones included.
  public var completedFasts: Int
}

extension Replica {
  /// Verifies every stored purchase and derives the account's entitlements. Works offline and
  /// stores nothing.
  ///
  /// - Parameters:
  ///   - policy: nil verifies nothing, and the state is unknown.
  ///   - appAccountToken: This account's token if known: see `knownAppAccountToken()`.
  /// - Complexity: About a millisecond per purchase, plus O(fasts).
  public func entitlements(
    policy: VerificationPolicy?, appAccountToken: UUID?
  ) throws(ReplicaError) -> EntitlementReport {
    let held = try read { transaction in
      (
        statements: try transaction.signedTransactions(),
        completed: try transaction.completedFasts(),
        isComplete: transaction.state.holdsEverything,
        now: transaction.state.entitlementTime(at: transaction.now)
      )
    }
    var evidence = EntitlementEvidence(
      completed: held.completed, isComplete: held.isComplete)
    var report = EntitlementReport(
      state: .unknown, facts: evidence.facts, rejections: [:], isVerified: policy != nil,
      completedFasts: held.completed.count)
    guard let policy else { return report }
    evidence.countsSandbox = policy.environment == .sandbox
    let verifier = TransactionVerifier(policy: policy)
    let claim = AccountClaim(appAccountToken: appAccountToken)
    var renewals: [(name: String, jws: [UInt8])] = []
    func note(_ rejection: EntitlementRejection, _ name: String) {
      report.rejections[name] = rejection
      if rejection.leavesOpen { evidence.hasUndecided = true }
    }
    for jws in held.statements {
      guard let name = SignedTransaction(jws: jws)?.transactionID else { continue }
      guard !name.hasPrefix(SignedTransaction.renewalPrefix) else {
        renewals.append((name, jws))
        continue
      }
      do throws(EntitlementRejection) {
        evidence.facts.insert(try verifier.verify(transaction: jws, for: claim, now: held.now))
      } catch {
        note(error, name)
      }
    }
    // Renewals are verified after the purchases that they belong to.
    for (name, jws) in renewals {
      do throws(EntitlementRejection) {
        evidence.facts.insert(
          try verifier.verify(renewal: jws, of: evidence.facts, for: claim, now: held.now))
      } catch {
        note(error, name)
      }
    }
    report.facts = evidence.facts
    report.state = evidence.state(at: held.now)
    return report
  }

  /// Submits a purchase to the server, which verifies it, and stores it here if it counts. If the
  /// server is unreachable or verifies nothing, the purchase is stored here and offered by the next
  /// sync.
  ///
  /// - Parameter transfer: Whether to move a purchase of another account to this one. Ask the
  ///   person first.
  /// - Returns: Whether the purchase was accepted, kept for the next sync, or rejected.
  /// - Throws: `.replica(.invalid)` if `jws` is not a signed transaction; `SyncError`.
  public func submit(
    signedTransaction jws: [UInt8], transfer: Bool = false
  ) async throws(SyncError) -> SubmittedPurchase {
    guard EntitlementField.record(jws: jws) != nil else {
      throw .replica(.invalid(EntitlementRejection.malformed.userMessage))
    }
    var outcome = SubmittedPurchase.kept
    do throws(SyncError) {
      let answer = try await withServer { _, _, transport throws(SyncError) in
        try await transport.submit(
          EntitlementsSubmitRequest(signedTransaction: jws, transfer: transfer))
      }
      if let rejection = answer.rejection { return .rejected(rejection) }
      outcome = .accepted
    } catch {
      switch error.code {
      case .notPaired, .unreachable, .refused: break
      default: throw error
      }
    }
    do throws(ReplicaError) {
      try await offload { () throws(ReplicaError) in try self.keep(signedTransaction: jws) }
    } catch {
      throw .replica(error)
    }
    return outcome
  }

  /// Asks the server for the account's App Store token and stores it in the replica's directory.
  public func learnAppAccountToken() async throws(SyncError) -> UUID {
    let (replica, answer) = try await withServer { replica, _, transport throws(SyncError) in
      (replica, try await transport.entitlements())
    }
    guard let token = UUID(bytes: answer.appAccountToken) else {
      throw .badAnswer("a token is not a UUID")
    }
    do throws(ReplicaError) { try replica.note(appAccountToken: token) } catch {
      throw .replica(error)
    }
    return token
  }

  func note(appAccountToken token: UUID) throws(ReplicaError) {
    let note = AccountNote(of: try read { $0.state }, token: token)
    // Failing to store it is harmless: it can be fetched again.
    if let note, let data = try? JSONEncoder().encode(note) {
      try? SmallFile.replace(accountNote.path, with: Array(data))
    }
  }

  /// The account's App Store token as stored on this device; nil if none was learned, or only for
  /// another account.
  public func knownAppAccountToken() throws(ReplicaError) -> UUID? {
    guard let bytes = try? SmallFile.read(accountNote.path, limitBytes: 4096),
      let note = try? JSONDecoder().decode(AccountNote.self, from: Data(bytes)),
      note == AccountNote(of: try read({ $0.state }), token: note.token)
    else { return nil }
    return note.token
  }

  private var accountNote: URL { directory.appendingPathComponent("app-account.json") }
}

/// The result of submitting a purchase.
public enum SubmittedPurchase: Hashable, Sendable {
  /// The server verified and stored it.
  case accepted
  /// It is stored here and offered by the next sync.
  case kept
  /// The server says that it does not count. It is not stored.
  case rejected(EntitlementsSubmitResponse.Rejection)
}

/// The token that a server gave to an account.
private struct AccountNote: Codable, Equatable {
  var server: String
  var account: String
  /// The replica that learned it. An account that was removed and created again has its old name,
  /// but none of its old devices.
  var replica: UInt64
  var token: UUID

  /// nil if the replica is not paired.
  init?(of state: ReplicaState, token: UUID) {
    guard let pairing = state.pairing else { return nil }
    (server, account) = (pairing.server, pairing.account)
    replica = state.replica.rawValue
    self.token = token
  }
}

extension ReplicaTransaction {
  /// The fasts whose outcome is completed. A deleted fast counts if its outcome is still known; a
  /// pruned one always counts. Otherwise deleting the history would restart the trial.
  func completedFasts() throws(ReplicaError) -> CompletedFasts {
    try storage {
      let rows = try Row.fetchCursor(
        database.cachedStatement(
          sql: "SELECT id FROM record WHERE kind = ? AND state IN (?, ?, ?)"),
        arguments: [RecordKind.session.rawValue] + Self.completedStates)
      var completed = CompletedFasts()
      while let row = try rows.next() {
        if let id = RecordUUID(bytes: try row.bytes(at: 0)) { completed.insert(id) }
      }
      return completed
    }
  }
}

extension ReplicaState {
  /// See `EntitlementTime`.
  func entitlementTime(at now: WallTime) -> WallTime {
    EntitlementTime.now(
      local: serverOffset.corrected(now), server: lastSync, latestStamp: clock.latest.wallTime)
  }
}
