// SPDX-License-Identifier: Apache-2.0
// How far work goes on past reads that are not loaded, so that one trip loads what many parts lack.

/// Work in parts, each of which may lack rows: see `StagedTransaction`.
///
/// Without it, each part that lacks something would end the run, and cost a trip by itself.
struct ReadAhead {
  /// Parts that may lack something: their rows are in memory together.
  private static let limit = 64

  private var lacking = 0

  /// Does one part.
  ///
  /// - Returns: Nil if it lacks rows. What follows must not rely on it.
  mutating func attempt<Result>(
    _ part: () throws(StoreError) -> Result
  ) throws(StoreError) -> Result? {
    do throws(StoreError) { return try part() } catch {
      guard error == .notLoaded else { throw error }
      lacking += 1
      guard lacking < Self.limit else { throw error }
      return nil
    }
  }

  /// Ends the run if a part lacked rows.
  func end() throws(StoreError) {
    guard lacking == 0 else { throw .notLoaded }
  }
}
