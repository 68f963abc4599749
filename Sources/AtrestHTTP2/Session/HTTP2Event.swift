// SPDX-License-Identifier: Apache-2.0
// The events of an HTTP/2 session, and the protocol of its owner.

/// An event on a session, in wire order. Byte buffers are valid only while the event is handled.
enum HTTP2Event {
  /// The peer's SETTINGS arrived.
  case settings
  /// A header block begins: of a new stream, of trailers, or of an informational response.
  case headersBegan(stream: Int32)
  /// The header block ended. Every field was passed to `takeHeader`.
  case headersEnded(stream: Int32, isEnd: Bool)
  /// Body bytes. The owner must return them with `consume`.
  case data(stream: Int32, UnsafeRawBufferPointer)
  /// END_STREAM on a DATA frame.
  case dataEnded(stream: Int32)
  /// A DATA frame that was all padding.
  case padding
  /// RST_STREAM arrived. `streamClosed` follows.
  case reset(stream: Int32)
  /// A PING arrived. The session has acknowledged it.
  case ping
  /// GOAWAY arrived.
  case goAway

  /// A HEADERS or DATA frame was sent.
  case payloadSent(FrameHead, isEnd: Bool)
  /// RST_STREAM was sent.
  case resetSent(HTTP2ErrorCode)

  /// The stream closed: both sides ended it, or one reset it.
  case streamClosed(stream: Int32, HTTP2ErrorCode)
  /// The drain grace has passed. Open calls end now; output is flushed for a short time.
  case graceOver
  /// Nothing more is read or written. The last event.
  case ended(Cancellation)
}

/// The owner's answer when a stream's body is requested.
enum HTTP2BodyPart {
  /// This many bytes were written; more follow.
  case bytes(Int)
  /// This many bytes were written; END_STREAM goes with them.
  case last(Int)
  /// This many bytes were written; the submitted trailers follow.
  case beforeTrailers(Int)
  /// Nothing to send now. `resume` asks again.
  case deferred
  /// The stream no longer exists and is reset.
  case gone
}

/// Handles a session's events. May submit frames while handling one.
protocol HTTP2SessionOwner: AnyObject {
  func handle(_ event: HTTP2Event)
  /// Receives one field of a header block. Fields are passed one at a time, because 8 KiB on the
  /// wire can decode to 32 MiB.
  /// - Returns: False to reset the stream; `headersEnded` then does not follow.
  func takeHeader(
    _ stream: Int32, _ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>
  ) -> Bool
  /// Writes at most `capacity` bytes of the stream's body.
  func readBody(
    _ stream: Int32, into target: UnsafeMutablePointer<UInt8>, capacity: Int
  ) -> HTTP2BodyPart
}

/// An error code of RFC 9113, section 7.
struct HTTP2ErrorCode: Hashable {
  var rawValue: UInt32

  static let noError = HTTP2ErrorCode(rawValue: 0)
  /// The stream was refused before any processing, so retrying it is safe.
  static let refusedStream = HTTP2ErrorCode(rawValue: 7)
  static let cancel = HTTP2ErrorCode(rawValue: 8)
  static let enhanceYourCalm = HTTP2ErrorCode(rawValue: 11)
}
