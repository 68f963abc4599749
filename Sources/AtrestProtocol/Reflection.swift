// SPDX-License-Identifier: Apache-2.0
// The messages of the standard gRPC reflection service.

import AtrestWire
import CAtrestProtos

/// A question of a tool's.
public struct ReflectionRequest: Hashable, Sendable {
  /// What is asked for.
  public enum Question: Hashable, Sendable {
    /// The file with this name.
    case file(String)
    /// The file that declares this full name.
    case symbol(String)
    /// Something about extensions.
    case extensions
    /// The names of all services.
    case services
  }

  /// Maximum length of a name in bytes.
  private static let nameBytes = 1024

  /// What the tool calls the server.
  public let host: String
  /// Nil: nothing, or something of a newer version.
  public let question: Question?

  /// Unpacks a protobuf-encoded request.
  public init(unpacking bytes: [UInt8]) throws(WireError) {
    self = try unpacking(
      bytes, by: grpc__reflection__v1__server_reflection_request__unpack
    ) { message throws(WireError) in
      try ReflectionRequest(message)
    }
  }

  private init(_ message: Grpc__Reflection__V1__ServerReflectionRequest) throws(WireError) {
    host = try text(message.host, limitBytes: Self.nameBytes)
    switch message.message_request_case {
    case GRPC__REFLECTION__V1__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_FILE_BY_FILENAME:
      question = .file(try text(message.file_by_filename, limitBytes: Self.nameBytes))
    case GRPC__REFLECTION__V1__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_FILE_CONTAINING_SYMBOL:
      question = .symbol(try text(message.file_containing_symbol, limitBytes: Self.nameBytes))
    case GRPC__REFLECTION__V1__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_FILE_CONTAINING_EXTENSION,
      GRPC__REFLECTION__V1__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_ALL_EXTENSION_NUMBERS_OF_TYPE:
      question = .extensions
    case GRPC__REFLECTION__V1__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_LIST_SERVICES:
      question = .services
    default:
      question = nil
    }
  }
}

/// What a tool is told.
public enum ReflectionAnswer: Hashable, Sendable {
  /// Encoded file descriptors.
  case files([[UInt8]])
  /// The full names of services.
  case services([String])
  /// Why there is no answer: a status code's number, and words.
  case error(code: UInt32, String)
}

/// An answer with the request that it is to.
public struct ReflectionResponse: Hashable, Sendable {
  public let host: String
  /// The encoded request, which is sent back as it came.
  public let request: [UInt8]
  public let answer: ReflectionAnswer

  /// Creates a response from its fields.
  public init(host: String, request: [UInt8], answer: ReflectionAnswer) {
    self.host = host
    self.request = request
    self.answer = answer
  }

  /// The protobuf encoding. By hand, so that the request need not be rebuilt.
  public var packed: [UInt8] {
    var bytes: [UInt8] = []
    if !host.isEmpty { bytes.append(field: 1, host.utf8) }
    bytes.append(field: 2, request)
    switch answer {
    case .files(let files):
      var list: [UInt8] = []
      for file in files { list.append(field: 1, file) }
      bytes.append(field: 4, list)
    case .services(let names):
      var list: [UInt8] = []
      for name in names {
        var service: [UInt8] = []
        service.append(field: 1, name.utf8)
        list.append(field: 1, service)
      }
      bytes.append(field: 6, list)
    case .error(let code, let words):
      var error: [UInt8] = []
      error.append(field: 1, UInt64(code))
      error.append(field: 2, words.utf8)
      bytes.append(field: 7, error)
    }
    return bytes
  }
}
