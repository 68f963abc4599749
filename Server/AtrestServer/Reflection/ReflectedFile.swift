// SPDX-License-Identifier: Apache-2.0
// A file of the protocol, as reflection tells it.

import Foundation

/// A file with the names of what it declares.
struct ReflectedFile: Sendable {
  /// Relative to the folder of all files: `atrest/sync/v1/sync.proto`.
  let name: String
  /// The files that it imports.
  let imports: [String]
  /// The full names of its services.
  let services: [String]
  /// The full names of everything that it declares.
  let symbols: [String]
  /// The encoded google.protobuf.FileDescriptorProto.
  let base64: String

  /// The encoded descriptor.
  var descriptor: [UInt8] { Data(base64Encoded: base64).map { [UInt8]($0) } ?? [] }
}
