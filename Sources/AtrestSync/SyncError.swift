// SPDX-License-Identifier: Apache-2.0
// Errors of a sync or another exchange with the server.

import AtrestWire

/// What stopped a talk with the server. Whatever it is: every edit is still in the replica, and
/// waits.
///
/// Not an enumeration: a version that tells more apart breaks nobody's `switch`.
public struct SyncError: Error, Hashable, Sendable {
  /// What happened, with what belongs to it. Within the package a new case stops the build
  /// wherever it needs a decision.
  package enum Reason: Hashable, Sendable {
    case notPaired
    case unreachable(String)
    case untrusted(String)
    case accessEnded
    case notPermitted(String)
    case notLetIn
    case joiningElsewhere
    case notFound(String)
    case refused(String)
    case badAnswer(String)
    case massDeletion(count: Int, of: Int)
    case cancelled
    case replica(ReplicaError)
  }

  package let reason: Reason
  /// When the server asked to come back, in milliseconds from then, at most an hour; nil if it did
  /// not.
  package internal(set) var retryMilliseconds: Int64?
  /// Why the server itself did not do what it was asked; nil if it did not answer, or is of version
  /// 0.1.0.
  package internal(set) var serverReason: ErrorReason?
  /// Whether the server has been silent for too long to ask again in the same command.
  package var isSilence = false

  init(reason: Reason) { self.reason = reason }

  /// What kind of error it is. There may be more kinds in a later version.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    /// Its name.
    public let description: String

    private init(_ name: String) { description = name }

    /// ``SyncError/notPaired``
    public static let notPaired = Code("notPaired")
    /// ``SyncError/unreachable(_:)``
    public static let unreachable = Code("unreachable")
    /// ``SyncError/untrusted(_:)``
    public static let untrusted = Code("untrusted")
    /// ``SyncError/accessEnded``
    public static let accessEnded = Code("accessEnded")
    /// ``SyncError/notPermitted(_:)``
    public static let notPermitted = Code("notPermitted")
    /// ``SyncError/notLetIn``
    public static let notLetIn = Code("notLetIn")
    /// ``SyncError/joiningElsewhere``
    public static let joiningElsewhere = Code("joiningElsewhere")
    /// ``SyncError/notFound(_:)``
    public static let notFound = Code("notFound")
    /// ``SyncError/refused(_:)``
    public static let refused = Code("refused")
    /// ``SyncError/badAnswer(_:)``
    public static let badAnswer = Code("badAnswer")
    /// ``SyncError/massDeletion(count:of:)``
    public static let massDeletion = Code("massDeletion")
    /// ``SyncError/cancelled``
    public static let cancelled = Code("cancelled")
    /// ``SyncError/replica(_:)``
    public static let replica = Code("replica")

    #if !hasFeature(Embedded)
      /// Has `catch SyncError.Code.unreachable` catch an error of that kind.
      public static func ~= (code: Code, error: any Error) -> Bool {
        (error as? SyncError)?.code == code
      }
    #endif
  }

  /// For programs.
  public var code: Code {
    switch reason {
    case .notPaired: .notPaired
    case .unreachable: .unreachable
    case .untrusted: .untrusted
    case .accessEnded: .accessEnded
    case .notPermitted: .notPermitted
    case .notLetIn: .notLetIn
    case .joiningElsewhere: .joiningElsewhere
    case .notFound: .notFound
    case .refused: .refused
    case .badAnswer: .badAnswer
    case .massDeletion: .massDeletion
    case .cancelled: .cancelled
    case .replica: .replica
    }
  }

  /// This replica was never paired.
  public static let notPaired = SyncError(reason: .notPaired)

  /// The server could not be reached, or was busy, as often as it was tried. The reason is the
  /// transport's.
  public static func unreachable(_ reason: String) -> SyncError {
    SyncError(reason: .unreachable(reason))
  }

  /// What answered could not prove that it is the server. The sentence is TLS's.
  public static func untrusted(_ sentence: String) -> SyncError {
    SyncError(reason: .untrusted(sentence))
  }

  /// The server does not know this device's token any more.
  public static let accessEnded = SyncError(reason: .accessEnded)

  /// The server does not allow it: a wrong or used pairing code, for instance. The sentence is the
  /// server's.
  public static func notPermitted(_ sentence: String) -> SyncError {
    SyncError(reason: .notPermitted(sentence))
  }

  /// This device had the right pairing link, waited, and was not let in: a device of the account
  /// said no, or the link ended.
  public static let notLetIn = SyncError(reason: .notLetIn)

  /// Another run of the same program joins with the same pairing link, and took this one's place.
  public static let joiningElsewhere = SyncError(reason: .joiningElsewhere)

  /// There is no such thing on the server. The sentence is the server's.
  public static func notFound(_ sentence: String) -> SyncError {
    SyncError(reason: .notFound(sentence))
  }

  /// The server refused for another lasting reason. The sentence is the server's.
  public static func refused(_ sentence: String) -> SyncError {
    SyncError(reason: .refused(sentence))
  }

  /// The server's answer made no sense. The rule it broke is named.
  public static func badAnswer(_ rule: String) -> SyncError {
    SyncError(reason: .badAnswer(rule))
  }

  /// Together the waiting deletions would take away `count` of `of` records: they wait for a
  /// person's word, see `Replica.sync(allowingMassDeletion:progress:)`. Everything else was
  /// exchanged.
  public static func massDeletion(count: Int, of all: Int) -> SyncError {
    SyncError(reason: .massDeletion(count: count, of: all))
  }

  /// The caller gave up.
  public static let cancelled = SyncError(reason: .cancelled)

  /// The local replica failed.
  public static func replica(_ error: ReplicaError) -> SyncError {
    SyncError(reason: .replica(error))
  }

  /// The deletions that wait for a person's word; nil for another error.
  public var heldDeletions: HeldDeletions? {
    guard case .massDeletion(let count, let all) = reason else { return nil }
    return HeldDeletions(count: count, of: all)
  }

  /// What failed in the local replica; nil for another error.
  public var replicaError: ReplicaError? {
    guard case .replica(let error) = reason else { return nil }
    return error
  }

  /// Whether the same may work a little later without anybody doing anything.
  public var isTransient: Bool { code == .unreachable }

  /// What happened, then what to do.
  public var userMessage: String {
    switch reason {
    case .notPaired:
      """
      This replica is not paired with a server yet. Ask for a pairing link on the server or on another \
      device, then pair.
      """
    case .unreachable(let reason) where serverReason != nil:
      "The server cannot do it now: \(reason). What you wrote is kept; try again later."
    case .unreachable(let reason):
      "The server could not be reached: \(reason). What you wrote is kept; try again later."
    case .untrusted(let sentence): sentence
    case .accessEnded:
      """
      This device's access was ended. What you wrote is kept here; ask for a new pairing link to join again.
      """
    case .notPermitted(let reason):
      "The server did not allow it: \(reason). Ask for a new pairing link and try again."
    case .notLetIn:
      """
      This device was not let in: the other one said no, or the link's time is over. Ask for a new pairing \
      link to try again.
      """
    case .joiningElsewhere:
      "Another pairing with the same link began meanwhile, and goes on in this one's place."
    case .notFound(let reason):
      "The server did not find it: \(reason). List what is there and choose again."
    case .refused(let reason):
      "The server refused: \(reason). What you wrote is kept; check that both sides are up to date."
    case .badAnswer(let reason):
      """
      The server's answer could not be used: \(reason). Nothing of it was stored; check that both sides \
      are up to date.
      """
    case .massDeletion(let count, _):
      """
      \(count == 1 ? "1 deletion waits" : "\(count) deletions wait") for your word, because more than half of \
      the records would be gone within a day. \
      Everything else was exchanged; allow them if you mean it, or write back what should stay.
      """
    case .cancelled:
      "The sync was stopped. What was exchanged is stored; the rest follows next time."
    case .replica(let error):
      error.userMessage
    }
  }
}

extension SyncError: CustomStringConvertible {
  /// The reason as logs show it.
  public var description: String { "\(reason)" }
}
