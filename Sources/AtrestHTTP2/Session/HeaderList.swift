// SPDX-License-Identifier: Apache-2.0
// Passes header fields to nghttp2: constants by pointer, the rest from one buffer.

import CAtrestNghttp2

/// A constant header field. nghttp2 keeps the pointers; a `StaticString` lives as long as the
/// process.
private func constantField(_ name: StaticString, _ value: StaticString) -> nghttp2_nv {
  let flags = NGHTTP2_NV_FLAG_NO_COPY_NAME.rawValue | NGHTTP2_NV_FLAG_NO_COPY_VALUE.rawValue
  return nghttp2_nv(
    name: UnsafeMutablePointer(mutating: name.utf8Start),
    value: UnsafeMutablePointer(mutating: value.utf8Start), namelen: name.utf8CodeUnitCount,
    valuelen: value.utf8CodeUnitCount, flags: UInt8(flags))
}

/// Constant header fields, allocated once and never freed. nghttp2 only reads them.
struct ConstantHeaders: @unchecked Sendable {  // Immutable once built, and never freed.
  let list: UnsafeMutableBufferPointer<nghttp2_nv>

  init(_ fields: [(name: StaticString, value: StaticString)]) {
    list = .allocate(capacity: fields.count)
    _ = list.initialize(from: fields.map { constantField($0.name, $0.value) })
  }
}

/// Builds a list of header fields.
struct HeaderList {
  private enum Field {
    case constant(nghttp2_nv)
    case stored(start: Int, nameCount: Int, valueCount: Int)
  }

  private var fields: [Field] = []
  private var bytes: [UInt8] = []
  /// The header list size in bytes: name + value + 32 per field, per RFC 9113.
  private(set) var size = 0

  mutating func add(_ name: StaticString, _ value: StaticString) {
    size += name.utf8CodeUnitCount + value.utf8CodeUnitCount + 32
    fields.append(.constant(constantField(name, value)))
  }

  mutating func add(_ name: some Collection<UInt8>, _ value: some Collection<UInt8>) {
    size += name.count + value.count + 32
    fields.append(
      .stored(start: bytes.count, nameCount: name.count, valueCount: value.count))
    bytes.append(contentsOf: name)
    bytes.append(contentsOf: value)
  }

  mutating func add(_ name: String, _ value: String) {
    add(name.utf8, value.utf8)
  }

  /// Adds the entries that keep the total within `limitBytes`; `-bin` values as unpadded base64.
  mutating func add(_ metadata: Metadata, limitBytes: Int) {
    for entry in metadata.entries {
      let name = metadata.nameBytes(entry)
      let value =
        entry.isBinary ? Base64.encode(metadata.value(entry))[...] : metadata.value(entry)
      guard size + name.count + value.count + 32 <= limitBytes else { continue }
      add(name, value)
    }
  }

  /// Adds code, message, details and metadata, as far as the total fits in `limitBytes`.
  mutating func add(_ status: Status, limitBytes: Int) {
    add("grpc-status", "\(status.code.rawValue)")
    if !status.message.isEmpty {
      let room = min(1024, max(0, limitBytes - size - 64))
      add("grpc-message".utf8, PercentCoding.encode(status.message, limitBytes: room))
    }
    if !status.details.isEmpty {
      let text = Base64.encode(status.details)
      let name = "grpc-status-details-bin"
      if size + name.utf8.count + text.count + 32 <= limitBytes { add(name.utf8, text) }
    }
    add(status.metadata, limitBytes: limitBytes)
  }

  /// The fields as lines of HTTP/1: the last frame of a gRPC-Web response.
  var lines: [UInt8] {
    var lines: [UInt8] = []
    lines.reserveCapacity(size)
    withFields { fields, count in
      for field in UnsafeBufferPointer(start: fields, count: count) {
        lines += UnsafeBufferPointer(start: field.name, count: field.namelen)
        lines += ": ".utf8
        lines += UnsafeBufferPointer(start: field.value, count: field.valuelen)
        lines += "\r\n".utf8
      }
    }
    return lines
  }

  /// Passes the fields to nghttp2, which copies all but the constants.
  func withFields<R>(_ body: (UnsafePointer<nghttp2_nv>?, Int) -> R) -> R {
    bytes.withUnsafeBufferPointer { storage in
      let list = fields.map { field in
        switch field {
        case .constant(let constant):
          return constant
        case .stored(let start, let nameCount, let valueCount):
          let name = UnsafeMutablePointer(mutating: storage.baseAddress)
          return nghttp2_nv(
            name: name.map { $0 + start }, value: name.map { $0 + start + nameCount },
            namelen: nameCount, valuelen: valueCount, flags: 0)
        }
      }
      return list.withUnsafeBufferPointer { body($0.baseAddress, $0.count) }
    }
  }
}

/// Whether `bytes` equal the constant.
func equals(_ bytes: UnsafeBufferPointer<UInt8>, _ constant: StaticString) -> Bool {
  guard bytes.count == constant.utf8CodeUnitCount else { return false }
  return hasPrefix(bytes, constant)
}

/// Whether `bytes` begin with the constant.
func hasPrefix(_ bytes: UnsafeBufferPointer<UInt8>, _ constant: StaticString) -> Bool {
  let count = constant.utf8CodeUnitCount
  guard bytes.count >= count else { return false }
  let expected = constant.utf8Start
  for index in 0..<count where bytes[index] != expected[index] { return false }
  return true
}
