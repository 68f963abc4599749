// SPDX-License-Identifier: Apache-2.0
// What a transaction changed in a replica's tables, for whoever keeps them durably.

import AtrestReplication
import AtrestWire

/// The rows that changed; or all rows, as changes since an empty replica.
package struct ReplicaChanges: Hashable, Sendable {
  /// The row of `replica`; nil if it is the same.
  package var state: ReplicaState?
  /// Rows of `record`.
  package var records = RowChanges<RecordRow>()
  /// Rows of `outbox`.
  package var outbox = RowChanges<OutboxRow>()
  /// Rows of `outbox_token`.
  package var tokens = RowChanges<OutboxPosition>()
  /// Rows of `action`, each with its steps.
  package var actions = RowChanges<StoredAction>()
  /// The greatest sequence that an outbox row ever had.
  package var lastSequence: Int64 = 0
  /// The greatest sequence that an action ever had.
  package var lastAction: Int64 = 0

  /// No changes.
  package init() {}

  /// Whether there is nothing to keep.
  package var isEmpty: Bool {
    state == nil && records.isEmpty && outbox.isEmpty && tokens.isEmpty && actions.isEmpty
  }
}

/// A row of `action` with those of `action_step` that belong to it.
package struct StoredAction: Hashable, Sendable {
  /// The action.
  package let action: ActionRow
  /// Its steps, in order.
  package let steps: [ActionStepRow]

  /// An action and its steps.
  package init(action: ActionRow, steps: [ActionStepRow]) {
    self.action = action
    self.steps = steps
  }
}

extension RecordRow: KeyedRow {
  /// The record's key.
  package var rowKey: RecordKey { key }
}

extension OutboxRow: KeyedRow {
  /// The row's sequence.
  package var rowKey: Int64 { sequence }
}

extension OutboxPosition: KeyedRow {
  /// The position's number.
  package var rowKey: UInt64 { number }
}

extension StoredAction: KeyedRow {
  /// The action's sequence.
  package var rowKey: Int64 { action.sequence }
}
