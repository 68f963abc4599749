// SPDX-License-Identifier: Apache-2.0
// Stores call metadata as one byte buffer and an index: two allocations for any count.

/// An ordered list of metadata names and values. Names are lower case. A name that ends in `-bin`
/// has a binary value; any other has printable ASCII text. Names may repeat.
///
/// `description` shows names and sizes only: values may be tokens.
public struct Metadata: Sendable, CustomStringConvertible {
  struct Entry: Sendable {
    var start: Int
    var nameCount: Int
    var valueCount: Int
    var isBinary: Bool
  }

  var storage: [UInt8] = []
  var entries: [Entry] = []

  /// Creates empty metadata.
  public init() {}

  /// The number of entries.
  public var count: Int { entries.count }
  /// Whether there are no entries.
  public var isEmpty: Bool { entries.isEmpty }

  /// Appends a text value. Lowercases the name and trims spaces around the value, which HTTP/2
  /// forbids.
  /// - Returns: False, and nothing is appended, if the name has characters other than `0-9 a-z _ -
  ///   .`, ends in `-bin`, or is reserved (`grpc-…`, `content-type`, `te`, a pseudo-header), or if
  ///   the value is not printable ASCII.
  @discardableResult
  public mutating func add(_ name: String, _ value: String) -> Bool {
    let name = Array(name.utf8).map(lowered)
    let value = Array(value.utf8).trimmingSpaces()
    guard isUsableName(name), !isBinaryName(name[...]) else { return false }
    guard value.allSatisfy({ (0x20...0x7E).contains($0) }) else { return false }
    append(name: name, value: value, isBinary: false)
    return true
  }

  /// Appends a binary value, sent as base64. The name must end in `-bin`.
  /// - Returns: False, and nothing is appended, if the name is invalid or lacks the suffix.
  @discardableResult
  public mutating func add(_ name: String, binary value: [UInt8]) -> Bool {
    let name = Array(name.utf8).map(lowered)
    guard isUsableName(name), isBinaryName(name[...]) else { return false }
    append(name: name, value: value, isBinary: true)
    return true
  }

  /// The first text value of a name, or nil. Cost: a linear scan of a bounded, short list.
  public func text(_ name: String) -> String? {
    bytes(name).map { String(decoding: $0, as: UTF8.self) }
  }

  /// All text values of a name, in order.
  public func allText(_ name: String) -> [String] {
    entries.filter { matches($0, name) }.map { String(decoding: value($0), as: UTF8.self) }
  }

  /// The first binary value of a `-bin` name, or nil.
  public func binary(_ name: String) -> [UInt8]? {
    bytes(name).map(Array.init)
  }

  /// All binary values of a `-bin` name, in order.
  public func allBinary(_ name: String) -> [[UInt8]] {
    entries.filter { matches($0, name) }.map { Array(value($0)) }
  }

  /// The first value of a name, text or binary, without a copy.
  public func bytes(_ name: String) -> ArraySlice<UInt8>? {
    entries.first { matches($0, name) }.map(value)
  }

  /// The only value of a name, without a copy. Nil if there is none or more than one: security
  /// decisions must not depend on which duplicate counts.
  public func onlyBytes(_ name: String) -> ArraySlice<UInt8>? {
    var found: ArraySlice<UInt8>?
    for entry in entries where matches(entry, name) {
      guard found == nil else { return nil }
      found = value(entry)
    }
    return found
  }

  /// All names, in order, with duplicates.
  public var names: [String] {
    entries.map { String(decoding: nameBytes($0), as: UTF8.self) }
  }

  /// Names and sizes, never values.
  public var description: String {
    "[" + zip(names, entries).map { "\($0): \($1.valueCount) bytes" }.joined(separator: ", ") + "]"
  }
}

extension Metadata: Equatable {
  /// Whether both have the same names and values in the same order.
  public static func == (a: Metadata, b: Metadata) -> Bool {
    a.entries.count == b.entries.count
      && zip(a.entries, b.entries).allSatisfy { x, y in
        a.nameBytes(x) == b.nameBytes(y) && a.value(x) == b.value(y)
      }
  }
}

extension Metadata {
  func nameBytes(_ entry: Entry) -> ArraySlice<UInt8> {
    storage[entry.start..<entry.start + entry.nameCount]
  }

  func value(_ entry: Entry) -> ArraySlice<UInt8> {
    let start = entry.start + entry.nameCount
    return storage[start..<start + entry.valueCount]
  }

  private func matches(_ entry: Entry, _ name: String) -> Bool {
    entry.nameCount == name.utf8.count && nameBytes(entry).elementsEqual(name.utf8)
  }

  mutating func append(
    name: some Collection<UInt8>, value: some Collection<UInt8>, isBinary: Bool
  ) {
    entries.append(
      Entry(
        start: storage.count, nameCount: name.count, valueCount: value.count, isBinary: isBinary))
    storage.append(contentsOf: name)
    storage.append(contentsOf: value)
  }
}

private func lowered(_ byte: UInt8) -> UInt8 {
  (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
}

private func isUsableName(_ name: [UInt8]) -> Bool {
  guard !name.isEmpty else { return false }
  if name.starts(with: "grpc-".utf8) {
    // The only `grpc-` name an application may set: gRFC A6.
    return name.elementsEqual("grpc-retry-pushback-ms".utf8)
  }
  for reserved in ["content-type", "content-length", "te", "host", "connection", "user-agent"]
  where name.elementsEqual(reserved.utf8) { return false }
  return name.allSatisfy { byte in
    switch byte {
    case 0x30...0x39, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
    default: false
    }
  }
}

/// Whether a header name marks a base64 value.
func isBinaryName(_ name: some BidirectionalCollection<UInt8>) -> Bool {
  name.suffix(4).elementsEqual("-bin".utf8)
}
