// SPDX-License-Identifier: Apache-2.0
// What this device may say of purchases: verified here, from what is held here.

import AtrestDomain
import AtrestEntitlements
import AtrestFiles
import AtrestProtocol
import AtrestReplication
import Foundation
import GRDB

import struct AtrestReplication.Record

/// What a device knows of an account's purchases.
public struct EntitlementReport: Hashable, Sendable {
  /// What the account may use. `.unknown` without a policy.
  public var state: EntitlementState
  /// What was verified.
  public var facts: EntitlementFacts
  /// What is held and does not count, by the name of its record, and why.
  public var rejections: [String: EntitlementRejection]
  /// Whether there was a policy to verify by.
  public var isVerified: Bool
  /// Fasts ever completed.
  public var completedFasts: Int
}

extension Replica {
  /// Verifies every purchase held, and derives what the account may use. Works offline; nothing is
  /// stored.
  ///
  /// - Parameters:
  ///   - policy: Nil: nothing is verified, and the state is unknown.
  ///   - appAccountToken: This account's, as far as it is known: see `knownAppAccountToken()`.
  /// - Complexity: About a millisecond for each purchase; O(fasts).
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
    // After the purchases that they belong to.
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

  /// Brings a purchase to the server, which verifies it, and keeps it here if it counts. Where the
  /// server cannot be reached, or verifies nothing, it is kept here and offered by the next sync.
  ///
  /// - Parameter transfer: Whether a purchase of another account is to move to this one. Ask the
  ///   person before.
  /// - Returns: What became of it.
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
          SubmitTransactionRequest(signedTransaction: jws, transfer: transfer))
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

  /// Asks the server what the App Store is to call this account, and remembers it in the replica's
  /// folder.
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
    // Not to be able to remember it is no failure: it can be asked for again.
    if let note, let data = try? JSONEncoder().encode(note) {
      try? SmallFile.replace(accountNote.path, with: Array(data))
    }
  }

  /// What the App Store is to call this account, as far as this device was told; nil if it was not,
  /// or for another account.
  public func knownAppAccountToken() throws(ReplicaError) -> UUID? {
    guard let bytes = try? SmallFile.read(accountNote.path, limitBytes: 4096),
      let note = try? JSONDecoder().decode(AccountNote.self, from: Data(bytes)),
      note == AccountNote(of: try read({ $0.state }), token: note.token)
    else { return nil }
    return note.token
  }

  private var accountNote: URL { directory.appendingPathComponent("app-account.json") }
}

/// What became of a purchase.
public enum SubmittedPurchase: Hashable, Sendable {
  /// The server verified and stored it.
  case accepted
  /// It is kept here, and offered by the next sync.
  case kept
  /// The server says that it does not count. It is not kept.
  case rejected(SubmitTransactionResponse.Rejection)
}

/// What a server called an account.
private struct AccountNote: Codable, Equatable {
  var server: String
  var account: String
  /// Who was told: an account that was removed and made again has its name from before, and no
  /// device from before.
  var replica: UInt64
  var token: UUID

  /// Nil for a replica that is not paired.
  init?(of state: ReplicaState, token: UUID) {
    guard let pairing = state.pairing else { return nil }
    (server, account) = (pairing.server, pairing.account)
    replica = state.replica.rawValue
    self.token = token
  }
}

extension ReplicaTransaction {
  /// The fasts ever completed. Deleted ones count as long as it can be told, and those of which
  /// only the deletion is left count always: to delete the history must not begin the trial anew.
  func completedFasts() throws(ReplicaError) -> CompletedFasts {
    try storage {
      let rows = try Row.fetchCursor(
        database.cachedStatement(
          sql: "SELECT id FROM record WHERE kind = ? AND state IN (?, ?, ?)"),
        arguments: [RecordKind.session.rawValue] + Self.completedStates)
      var completed = CompletedFasts()
      while let row = try rows.next() {
        if let id = UUID(bytes: try row.bytes(at: 0)) { completed.insert(id) }
      }
      return completed
    }
  }
}

extension ReplicaState {
  /// Whether the replica holds what there is: nothing else exists until it is paired, and then it
  /// stands where the account stood last.
  var holdsEverything: Bool {
    guard account != nil else { return true }
    return lastSync != nil && mustReconcile == nil && cursor == lastKnownHead
  }

  /// See `EntitlementTime`.
  func entitlementTime(at now: WallTime) -> WallTime {
    EntitlementTime.now(
      local: serverOffset.corrected(now), server: lastSync, latestStamp: clock.latest.wallTime)
  }
}
