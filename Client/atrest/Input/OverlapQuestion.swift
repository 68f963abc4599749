// SPDX-License-Identifier: Apache-2.0
// Asks which of two fasts over the same time is right, and corrects what the answer says.

import AtrestClient
import AtrestCommandLine
import AtrestCompanion
import AtrestDomain
import AtrestReplication
import Foundation

/// The question about a fast that was just noted, and shares time with others.
struct OverlapQuestion {
  /// What a person may answer.
  enum Answer: Hashable {
    case keepBoth, removeOther, shorten

    /// Reads an answer: a number, or nothing. What is neither keeps both, since both can still be
    /// corrected later.
    init(typed: String, isShortenable: Bool) {
      switch typed.trimmingCharacters(in: .whitespaces) {
      case "2": self = .removeOther
      case "3" where isShortenable: self = .shorten
      default: self = .keepBoth
      }
    }
  }

  private let session: Session
  private let others: [Session]
  private let ids: [String: String]
  private let context: CommandContext

  /// Nil if no fast shares time with this one.
  init?(of session: Session, in store: ReplicaTransaction, _ context: CommandContext) throws {
    others = Overlap.with(session, in: try store.history(from: session.span.start))
    guard !others.isEmpty else { return nil }
    ids = try store.shortIDs(of: [session] + others)
    (self.session, self.context) = (session, context)
  }

  /// What to say where nobody can be asked.
  var words: String? {
    others.first.map {
      let words = words(of: session, beside: $0, more: others.count - 1)
      return "\(words.sharing) \(words.commands)"
    }
  }

  private func words(of session: Session, beside other: Session, more: Int) -> OverlapWords {
    OverlapWords(session: session, other: other, more: more, ids: ids, context: context)
  }

  /// Asks about one after the other, and does what is answered. Each correction can be undone.
  func ask(in replica: Replica) throws {
    var session = session
    for other in others where !Overlap.with(session, in: [other]).isEmpty {
      let words = words(of: session, beside: other, more: 0)
      let shortened = Overlap.shortened(session, beside: other)
      Terminal.writeError("\n\(words.sharing)\n\(words.choices(shortened))")
      Keyboard.forget()
      Terminal.ask(OverlapWords.question(isShortenable: shortened != nil))
      let answer = Answer(typed: readLine() ?? "", isShortenable: shortened != nil)
      let isDone = try replica.transaction { store in
        let present = try store.sessions()
        guard present.contains(session), present.contains(other) else { return false }
        switch answer {
        case .keepBoth: break
        case .removeOther:
          try store.action(.deleteFast) {
            _ = try store.delete(RecordKey(kind: .session, id: other.id.bytes))
          }
        case .shorten:
          guard let shortened else { return false }
          try store.action(.editFast) { try store.save(shortened) }
        }
        return true
      }
      guard isDone else { return Terminal.writeError(OverlapWords.changed) }
      if answer == .shorten, let shortened { session = shortened }
      Terminal.writeError(words.done(answer))
    }
  }
}
