// SPDX-License-Identifier: Apache-2.0
// Reads what it can of a file, value by value.

/// A value of a file, or nil where something else is: one entry that cannot be read says nothing
/// about the others.
struct Lenient<Value: Codable>: Codable {
  /// The value; nil if it cannot be read.
  var value: Value?

  init(_ value: Value) { self.value = value }

  init(from decoder: any Decoder) { value = try? Value(from: decoder) }

  func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
}
