// SPDX-License-Identifier: Apache-2.0
// Why a sync, or another talk with the server, did not come to its end.

/// What stopped a talk with the server. Whatever it is: every edit is still in the replica, and
/// waits.
public enum SyncError: Error, Hashable, Sendable {
  /// This replica was never paired.
  case notPaired
  /// The server could not be reached, or was busy, as often as it was tried. The reason is the
  /// transport's.
  case unreachable(String)
  /// What answered could not prove that it is the server. The sentence is TLS's.
  case untrusted(String)
  /// The server does not know this device's token any more.
  case accessEnded
  /// The server does not allow it: a wrong or used pairing code, for instance. The sentence is the
  /// server's.
  case notPermitted(String)
  /// This device had the right pairing link, waited, and was not let in: a device of the account
  /// said no, or the link ended.
  case notLetIn
  /// Another run of the same program joins with the same pairing link, and took this one's place.
  case joiningElsewhere
  /// There is no such thing on the server. The sentence is the server's.
  case notFound(String)
  /// The server refused for another lasting reason. The sentence is the server's.
  case refused(String)
  /// The server's answer made no sense. The rule it broke is named.
  case badAnswer(String)
  /// Together the waiting deletions would take away `count` of `of` records: they wait for a
  /// person's word, see `Replica.sync(allowingMassDeletion:progress:)`. Everything else was
  /// exchanged.
  case massDeletion(count: Int, of: Int)
  /// The caller gave up.
  case cancelled
  /// The local replica failed.
  case replica(ReplicaError)

  /// Whether the same may work a little later without anybody doing anything.
  public var isTransient: Bool {
    if case .unreachable = self { true } else { false }
  }

  /// What happened, then what to do.
  public var userMessage: String {
    switch self {
    case .notPaired:
      """
      This replica is not paired with a server yet. Ask for a pairing link on the server or on another \
      device, then pair.
      """
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
    case .massDeletion(let count, let of):
      """
      \(count) deletions would take away most of the \(of) records there are, so they wait for your word. \
      Everything else was exchanged; allow them if you mean it, or write back what should stay.
      """
    case .cancelled:
      "The sync was stopped. What was exchanged is stored; the rest follows next time."
    case .replica(let error):
      error.userMessage
    }
  }
}
