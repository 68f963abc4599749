// SPDX-License-Identifier: Apache-2.0
// What a failed call says to programs: the value of `grpc-status-details-bin`.

/// A `google.rpc.Status` with an `ErrorInfo`, and with a `RetryInfo` and a `QuotaFailure` where
/// they fit.
public struct ErrorDetails: WireMessage, FieldWriting {
  /// The domain of our reasons.
  public static let domain = "atrest"

  /// The call's gRPC status code.
  public var code: UInt32
  /// A sentence for people, in English.
  public var message: String
  /// Why the call failed; nil if the domain is somebody else's, such as a proxy's.
  public var reason: ErrorReason?
  /// When the same call may succeed, in milliseconds from now; nil if that is unknown.
  public var retryMilliseconds: Int64?
  /// What the limit is for that was reached: "account", "device" or "address"; nil for other
  /// errors.
  public var quotaSubject: String?

  /// Creates details from their fields.
  public init(
    code: UInt32, message: String, reason: ErrorReason?, retryMilliseconds: Int64? = nil,
    quotaSubject: String? = nil
  ) {
    self.code = code
    self.message = message
    self.reason = reason
    self.retryMilliseconds = retryMilliseconds
    self.quotaSubject = quotaSubject
  }

  /// Decodes a protobuf-encoded `google.rpc.Status`. Details of other types are skipped; the last
  /// one of a type counts.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    self = try decode(bytes) { fields throws(WireError) in
      var (code, message): (UInt32, Slice?) = (0, nil)
      var details = ErrorDetails(code: 0, message: "", reason: nil)
      while let field = try fields.next() {
        switch Fields.Status(rawValue: field.number) {
        case .code: code = try field.uint32()
        case .message: message = try field.content()
        case .details: try details.take(try field.content())
        case nil: break
        }
      }
      details.code = code
      details.message = try String(message, limitBytes: Self.textBytes)
      return details
    }
  }

  /// The protobuf encoding.
  public var encoded: [UInt8] { encode(self) }

  func write(to sink: inout some FieldSink) {
    sink.number(Fields.Status.code, code)
    sink.text(Fields.Status.message, message)
    sink.message(Fields.Status.details, reason.map { Detail(info: $0) })
    sink.message(Fields.Status.details, retryMilliseconds.map { Detail(retry: $0) })
    sink.message(Fields.Status.details, quotaSubject.map { Detail(subject: $0, message) })
  }

  /// Maximum length of each text in bytes. Trailers have at most 7 KiB.
  private static let textBytes = 1024

  /// Takes one `google.protobuf.Any`.
  private mutating func take(_ bytes: Slice) throws(WireError) {
    let (type, value) = try pair(bytes)
    let url = try String(type, limitBytes: Self.textBytes)
    guard let value else { return }
    if url == Detail.prefix + "ErrorInfo" {
      let (name, origin) = try pair(value)
      guard try String(origin, limitBytes: Self.textBytes) == Self.domain else { return }
      reason = ErrorReason(rawValue: try String(name, limitBytes: Self.textBytes))
    } else if url == Detail.prefix + "RetryInfo" {
      guard let delay = try pair(value).0 else { return }
      retryMilliseconds = try milliseconds(delay)
    } else if url == Detail.prefix + "QuotaFailure" {
      guard let violation = try pair(value).0 else { return }
      quotaSubject = try String(try pair(violation).0, limitBytes: Self.textBytes)
    }
  }
}

/// The contents of the fields 1 and 2 of a message, which is all that these messages have for us.
private func pair(_ bytes: Slice) throws(WireError) -> (Slice?, Slice?) {
  var reader = WireReader(bytes)
  var found: (Slice?, Slice?)
  while let field = try reader.next() {
    switch field.number {
    case 1: found.0 = try field.content()
    case 2: found.1 = try field.content()
    default: break
    }
  }
  return found
}

/// A `google.protobuf.Duration` in whole milliseconds, within bounds: a year is as good as ever.
private func milliseconds(_ bytes: Slice) throws(WireError) -> Int64 {
  var reader = WireReader(bytes)
  var (seconds, nanoseconds): (Int64, Int64) = (0, 0)
  while let field = try reader.next() {
    switch Detail.DurationField(rawValue: field.number) {
    case .seconds: seconds = try field.int64()
    case .nanos: nanoseconds = Int64(Int32(truncatingIfNeeded: try field.int64()))
    case nil: break
    }
  }
  return min(max(seconds, 0), 31_536_000) * 1000 + min(max(nanoseconds / 1_000_000, 0), 999)
}

/// A detail as a `google.protobuf.Any`.
private struct Detail: FieldWriting {
  static let prefix = "type.googleapis.com/google.rpc."

  /// Source: google/protobuf/any.proto.
  enum AnyField: UInt32, FieldNumbers {
    case typeURL = 1
    case value
  }
  /// Source: google/protobuf/duration.proto.
  enum DurationField: UInt32, FieldNumbers {
    case seconds = 1
    case nanos
  }

  /// A message of two texts, or a nested message in field 1.
  private struct Texts: FieldWriting {
    let first: String
    let second: String
    func write(to sink: inout some FieldSink) {
      sink.text(Fields.ErrorInfo.reason, first)
      sink.text(Fields.ErrorInfo.domain, second)
    }
  }

  private struct Nested<Inner: FieldWriting>: FieldWriting {
    let inner: Inner
    func write(to sink: inout some FieldSink) {
      sink.message(Fields.RetryInfo.retryDelay, inner)
    }
  }

  private struct Delay: FieldWriting {
    let milliseconds: Int64
    func write(to sink: inout some FieldSink) {
      sink.number(DurationField.seconds, milliseconds / 1000)
      sink.number(DurationField.nanos, milliseconds % 1000 * 1_000_000)
    }
  }

  private let type: String
  private let value: [UInt8]

  init(info reason: ErrorReason) {
    type = "ErrorInfo"
    value = encode(Texts(first: reason.rawValue, second: ErrorDetails.domain))
  }

  init(retry milliseconds: Int64) {
    type = "RetryInfo"
    value = encode(Nested(inner: Delay(milliseconds: milliseconds)))
  }

  init(subject: String, _ sentence: String) {
    type = "QuotaFailure"
    value = encode(Nested(inner: Texts(first: subject, second: sentence)))
  }

  func write(to sink: inout some FieldSink) {
    sink.text(AnyField.typeURL, Self.prefix + type)
    sink.bytes(AnyField.value, value)
  }
}
