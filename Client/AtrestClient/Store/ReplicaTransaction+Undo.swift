// SPDX-License-Identifier: Apache-2.0
// User actions that can be undone.

import AtrestSync

extension ReplicaTransaction {
  /// Runs writes as one user action that `undo` can revert. Writes outside of an action cannot be
  /// undone.
  ///
  /// An action that writes nothing is not recorded.
  /// - Precondition: No other action is in progress.
  /// - Throws: What `body` throws; `ReplicaError` if the replica fails.
  public func action<Result>(
    _ what: UserAction, _ body: () throws -> Result
  ) throws -> Result {
    work.beginAction()
    defer { work.abandonAction() }
    let result = try body()
    try work.endAction(what)
    return result
  }

  /// Undoes the latest recorded action with ordinary new writes. Each field that nobody wrote since
  /// gets its earlier value. A record that the action created is deleted, unless somebody wrote to
  /// it since. A fast is not reopened beside a running one that was not open at the time of the
  /// action. The action is then removed, unless it `isWaiting`.
  ///
  /// - Parameter kind: Considers only actions of this kind.
  /// - Returns: The result; nil if no such action is recorded.
  public func undo(_ kind: UserAction? = nil) throws(ReplicaError) -> UndoneAction? {
    try work.undo(kind)
  }

  /// Undoes what the latest action that wrote to records of some kinds wrote to those, whatever
  /// the action was: an edit, an import, a losing value written back. For programs that share a
  /// replica, so that each takes back what was done to its own records:
  ///
  ///     let undone = try store.undo(of: [Mood.kind, Note.kind])
  ///
  /// What the action wrote to records of other kinds stays, and can be undone for itself. For the
  /// rest see `undo(_:)`. An entry of the journal of conflicts counts as a record of the kind that
  /// it lists.
  /// - Parameter kinds: The kinds of record that the program writes.
  /// - Returns: The result, about records of these kinds; nil if no such action is recorded.
  public func undo(of kinds: Set<RecordKind>) throws(ReplicaError) -> UndoneAction? {
    try work.undo(of: kinds)
  }
}
