// SPDX-License-Identifier: Apache-2.0
// Decides by its headers what becomes of a request: a call, a file, or a refusal. Pure.

/// What a request's headers ask for.
enum RequestVerdict {
  case call(CallFormat)
  /// A call that ends before it began.
  case refused(Status, CallFormat, listsEncodings: Bool = false)
  /// HTTP without a gRPC status: a file, or the refusal of what is no call.
  case answered(WebResponse)

  /// - Parameter site: The files served to browsers; nil: none.
  init(_ fields: RequestFields, limits: Limits, site: WebSite?) {
    let format = fields.contentType.format
    guard fields.size.fits(limits) else {
      if fields.method == .get || fields.method == .head {
        self = .answered(.tooLarge(isHead: fields.method == .head))
        return
      }
      self = .refused(Status(.resourceExhausted, "The request's metadata is too large."), format)
      return
    }
    guard case .post = fields.method else {
      self = .answered(site?.response(to: fields) ?? .onlyCalls(isHead: fields.method == .head))
      return
    }
    switch fields.contentType {
    case .missing, .other:
      self = .answered(.unsupportedMediaType)
    case .webText:
      self = .answered(.unsupportedText)
    case .unknownCodec(let format):
      self = .refused(Status(.unimplemented, "Messages are protobuf here."), format)
    case .call(let format) where format.isWeb && fields.isCrossOrigin:
      self = .answered(.crossOrigin)
    case .call(let format):
      self = Self.refusal(of: fields, format) ?? .call(format)
    }
  }

  private static func refusal(of fields: RequestFields, _ format: CallFormat) -> RequestVerdict? {
    if fields.hasBadBinary {
      return .refused(Status(.internal, "A -bin header is not base64."), format)
    }
    guard fields.encoding != nil else {
      return .refused(
        Status(.unimplemented, "The message encoding is not supported."), format,
        listsEncodings: true)
    }
    if case .malformed = fields.timeout {
      return .refused(Status(.internal, "The grpc-timeout header is malformed."), format)
    }
    return nil
  }
}

extension ContentType {
  /// The form of a refusal.
  fileprivate var format: CallFormat {
    switch self {
    case .call(let format), .unknownCodec(let format): format
    case .missing, .webText, .other: .grpc
    }
  }
}
