// SPDX-License-Identifier: Apache-2.0
// The standard gRPC reflection service: tells tools what the server has.

import AtrestHTTP2
import AtrestProtocol
import AtrestRPC
import AtrestWire

/// Answers questions about the services for devices, which are no secret: Protos/ is public.
/// Immutable, so any thread may ask.
package struct ReflectionService: Sendable {
  /// The names under which it is served. Both have the same messages; old tools know the latter.
  package static let names = ["grpc.reflection.v1", "grpc.reflection.v1alpha"]
    .map { $0 + ".ServerReflection" }

  private let files: [String: ReflectedFile]
  /// The name of the file that declares something.
  private let homes: [String: String]
  private let services: [String]

  /// - Parameter services: The full names of the services that the server has.
  package init(services: [String]) { self.init(files: Descriptors.files, services: services) }

  init(files: [ReflectedFile], services: [String]) {
    self.files = Dictionary(uniqueKeysWithValues: files.map { ($0.name, $0) })
    homes = Dictionary(
      files.flatMap { file in file.symbols.map { ($0, file.name) } },
      uniquingKeysWith: { a, _ in a }
    )
    self.services = services.sorted()
  }

  /// Answers a request.
  /// - Throws: `Status` if it cannot be read. A question without an answer throws nothing.
  package func answer(_ bytes: [UInt8]) throws(Status) -> [UInt8] {
    let request: ReflectionRequest
    do throws(WireError) { request = try ReflectionRequest(unpacking: bytes) } catch {
      throw Status(error)
    }
    let answer: ReflectionAnswer =
      switch request.question {
      case .file(let name):
        files[name].map { .files(withImports($0)) } ?? .notFound("There is no such file.")
      case .symbol(let name):
        homes[name].flatMap { files[$0] }.map { .files(withImports($0)) }
          ?? .notFound("Nothing has this name.")
      case .extensions: .notFound("There are no extensions.")
      case .services: .services(services)
      case nil: .error(code: UInt32(StatusCode.invalidArgument.rawValue), "Nothing was asked.")
      }
    return ReflectionResponse(host: request.host, request: bytes, answer: answer).packed
  }

  /// The descriptors of a file, and of those that it imports, each once.
  private func withImports(_ file: ReflectedFile) -> [[UInt8]] {
    var names: [String] = []
    var next = [file.name]
    while let name = next.popLast() {
      guard !names.contains(name), let file = files[name] else { continue }
      names.append(name)
      next += file.imports
    }
    return names.compactMap { files[$0]?.descriptor }
  }
}

extension ReflectionAnswer {
  /// There is no such thing: NOT_FOUND.
  fileprivate static func notFound(_ words: String) -> ReflectionAnswer {
    .error(code: UInt32(StatusCode.notFound.rawValue), words)
  }
}
