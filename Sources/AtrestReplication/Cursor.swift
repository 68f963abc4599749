// SPDX-License-Identifier: Apache-2.0
// A position in an account's feed.

/// A position in an account's feed. The server assigns sequences in commit order; client clocks
/// play no part.
public struct Cursor: Hashable, Sendable {
  /// The random name of the commit with this sequence; 0 before the first.
  public let commit: UInt64
  /// The sequence up to which everything has been received; 0 before the first commit.
  public let sequence: UInt64

  /// Creates a cursor from its fields.
  public init(commit: UInt64, sequence: UInt64) {
    self.commit = commit
    self.sequence = sequence
  }

  /// The position before the first commit.
  public static let start = Cursor(commit: 0, sequence: 0)
}
