// SPDX-License-Identifier: Apache-2.0
// Answers GET and HEAD with files from memory. Pure.

/// The files that a server gives to browsers, beside its calls. Immutable.
///
/// There is no directory and no decoding of paths: what was not listed at the start does not exist.
/// Ranges are not served. The bytes of a response are the file's own, so readers cost no memory
/// beyond their streams.
public struct WebSite: Sendable {
  private let files: [String: WebFile]
  private let fields: [(name: String, value: String)]
  /// Called on the shard with the HTTP status of each answer that is not a call's; must not block.
  public var onAnswer: (@Sendable (_ status: String) -> Void)?

  /// Creates a site.
  /// - Parameters:
  ///   - files: Paths are unique, or the last one counts.
  ///   - fields: Header fields of every response, such as a content security policy.
  public init(_ files: [WebFile], fields: [(name: String, value: String)]) {
    self.files = Dictionary(files.map { ($0.path, $0) }) { $1 }
    self.fields = fields
  }

  /// Answers a request that is no POST.
  /// - Complexity: O(1) in the file's size.
  func response(to request: RequestFields) -> WebResponse {
    var response: WebResponse
    switch request.method {
    case .get, .head: response = read(request)
    case .post, .other:
      response = .text(
        "405", "Files are read with GET or HEAD. Calls are made with POST.",
        [("allow", "GET, HEAD, POST")])
    }
    response.fields += fields
    return request.method == .head ? response.headOnly : response
  }

  private func read(_ request: RequestFields) -> WebResponse {
    guard let file = files[Self.pathAlone(request.path)] else {
      return .text("404", "There is nothing at this address. The app is at / of this server.")
    }
    // Weak, so that it is of all codings: they differ in bytes. RFC 9110, section 8.8.3.3.
    let tag = "W/\"\(file.tag)\""
    var fields = [
      ("etag", tag), ("vary", "accept-encoding"),
      ("cache-control", file.isImmutable ? "public, max-age=31536000, immutable" : "no-cache"),
    ]
    if request.knows(file.tag) { return WebResponse(status: "304", fields: fields) }
    fields.append(("content-type", file.contentType))
    var body = file.bytes
    let coding = request.preferred(of: file.codings)
    if let compressed = file.compressed[coding] {
      fields.append(("content-encoding", coding.rawValue))
      body = compressed
    }
    fields.append(("content-length", String(body.count)))
    return WebResponse(status: "200", fields: fields, body: body)
  }

  /// A query is of no meaning here, but a link may have one.
  private static func pathAlone(_ path: String) -> String {
    path.utf8.firstIndex(of: UInt8(ascii: "?")).map { String(path[..<$0]) } ?? path
  }
}

extension RequestFields {
  /// The coding of the highest weight in `accept-encoding`; of equal ones the first.
  /// Source: RFC 9110, section 12.5.3. Who refuses all that there is gets the contents as they are.
  fileprivate func preferred(of available: [WebFile.Coding]) -> WebFile.Coding {
    var weights: [String: Double] = [:]
    for entry in list("accept-encoding") {
      let parts = entry.split(separator: ";").map { $0.filter { $0 != " " }.lowercased() }
      guard let name = parts.first else { continue }
      let weight = parts.dropFirst().first { $0.hasPrefix("q=") }
      weights[name] = weight.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
    }
    func weight(_ coding: WebFile.Coding) -> Double {
      weights[coding.rawValue] ?? (coding == .identity ? 0 : weights["*"] ?? 0)
    }
    return available.filter { weight($0) > 0 }.max { weight($0) < weight($1) } ?? .identity
  }

  /// Whether `if-none-match` names these contents. RFC 9110, section 13.1.2: strong or weak.
  fileprivate func knows(_ tag: String) -> Bool {
    list("if-none-match").contains { entry in
      let entry = entry.filter { $0 != " " }
      return entry == "*" || entry == "\"\(tag)\"" || entry == "W/\"\(tag)\""
    }
  }

  private func list(_ name: String) -> [Substring] {
    metadata.allText(name).flatMap { $0.split(separator: ",") }
  }
}
