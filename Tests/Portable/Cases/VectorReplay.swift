// SPDX-License-Identifier: Apache-2.0
// Replays a case of docs/protocol/merge-vectors.jsonl: what becomes of one record, offer by offer.

import AtrestReplication
import AtrestWire

/// The record of a case, as the offers so far left it.
public struct VectorReplay {
  private var stored: Record?
  private var history = RecordHistory()

  /// Begins a case.
  public init() {}

  /// What one offer makes of the record.
  /// - Parameter now: The server's clock.
  /// - Returns: Encoded parts: one byte, 1 if a register of the offer lost; the record; then each
  ///   entry of the journal. Nil if the bytes are no offer.
  public mutating func offer(_ bytes: [UInt8], at now: WallTime) -> [[UInt8]]? {
    guard let offer = try? Offer(decoding: bytes) else { return nil }
    let outcome = offer.merged(into: stored, history: history, at: now)
    (stored, history) = (outcome.record, outcome.history)
    return [[outcome.isSuperseded ? 1 : 0], outcome.record.encoded]
      + outcome.conflicts.map { $0.journalRecord.encoded }
  }
}
