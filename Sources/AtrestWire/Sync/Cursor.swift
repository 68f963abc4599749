// SPDX-License-Identifier: Apache-2.0
// The encoding of a position in an account's feed.

import AtrestReplication

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
