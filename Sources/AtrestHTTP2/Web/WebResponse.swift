// SPDX-License-Identifier: Apache-2.0
// Forms a response of plain HTTP, and the words of refusals.

/// A complete response without a gRPC status.
struct WebResponse {
  var status: String
  var fields: [(name: String, value: String)]
  /// Shared with the file that it came from: a response in progress costs no copy.
  var body: [UInt8] = []

  /// A sentence for whoever asked, in a tool or a browser.
  static func text(
    _ status: String, _ sentence: String, _ fields: [(name: String, value: String)] = []
  ) -> WebResponse {
    WebResponse(
      status: status, fields: fields + [("content-type", "text/plain")],
      body: Array((sentence + "\n").utf8))
  }

  /// Without the body, for HEAD. Source: RFC 9110, section 9.3.2.
  var headOnly: WebResponse { WebResponse(status: status, fields: fields) }

  /// The answer to every other method where only calls are served.
  static func onlyCalls(isHead: Bool) -> WebResponse {
    let refusal = text("405", "This port speaks gRPC: method POST.", [("allow", "POST")])
    return isHead ? refusal.headOnly : refusal
  }

  static func tooLarge(isHead: Bool) -> WebResponse {
    let refusal = text("431", "The request's header fields are too large.")
    return isHead ? refusal.headOnly : refusal
  }

  static let unsupportedMediaType = text(
    "415",
    "This port speaks gRPC: content-type application/grpc, or application/grpc-web+proto.")
  static let unsupportedText = text(
    "415",
    "gRPC-Web travels as bytes here: content-type application/grpc-web+proto, and not -text.")
  static let crossOrigin = text("403", "Only pages of this server's own may call it.")
}
