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

extension Cursor: FieldWriting {
  /// A cursor's fields are numbers, so a later occurrence replaces an earlier one.
  init(_ bytes: Slice) throws(WireError) {
    var (commit, sequence) = (0 as UInt64, 0 as UInt64)
    var fields = WireReader(bytes)
    while let field = try fields.next() {
      switch Fields.Cursor(rawValue: field.number) {
      case .commit: commit = try field.fixed64()
      case .sequence: sequence = try field.uint64()
      case nil: break
      }
    }
    self.init(commit: commit, sequence: sequence)
  }

  func write(to sink: inout some FieldSink) {
    sink.fixed64(Fields.Cursor.commit, commit)
    sink.number(Fields.Cursor.sequence, sequence)
  }
}
