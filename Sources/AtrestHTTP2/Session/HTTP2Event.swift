// SPDX-License-Identifier: Apache-2.0
// Names everything that an HTTP/2 session tells its owner.

/// One thing that happened on a session, in the order of the wire. Bytes are valid until the event
/// is handled.
enum HTTP2Event {
  /// The peer's SETTINGS arrived.
  case settings
  /// A header block begins: of a new stream, of trailers, or of an informational response.
  case headersBegan(stream: Int32)
  /// Every field of the block was handed out.
  case headersEnded(stream: Int32, isEnd: Bool)
  /// Bytes of a body, to be given back by `consume`.
  case data(stream: Int32, UnsafeRawBufferPointer)
  /// END_STREAM on a DATA frame.
  case dataEnded(stream: Int32)
  /// A DATA frame that was padding only.
  case padding
  /// RST_STREAM arrived. `streamClosed` follows.
  case reset(stream: Int32)
  /// The peer wants a sign of life; the session has answered.
  case ping
  /// GOAWAY arrived.
  case goAway

  /// A HEADERS or DATA frame has left.
  case payloadSent(FrameHead, isEnd: Bool)
  /// RST_STREAM has left.
  case resetSent(HTTP2ErrorCode)

  /// The stream is gone: both sides have ended it, or one has reset it.
  case streamClosed(stream: Int32, HTTP2ErrorCode)
  /// The drain's grace is over. Calls still open end now; a moment remains to tell the peer.
  case graceOver
  /// Nothing more is read or written. The last event.
  case ended(Cancellation)
}

/// What the owner has to say when a stream's body is wanted.
enum HTTP2BodyPart {
  /// So many bytes were written, and more will follow.
  case bytes(Int)
  /// So many bytes were written, and END_STREAM goes with them.
  case last(Int)
  /// So many bytes were written; the trailers that the owner has submitted follow.
  case beforeTrailers(Int)
  /// Nothing for now. `resume` asks again.
  case deferred
  /// There is no such stream any more: it is reset.
  case gone
}

/// Whoever acts on a session's events. It may submit frames while it handles one.
protocol HTTP2SessionOwner: AnyObject {
  func handle(_ event: HTTP2Event)
  /// One field of a header block. A block is handed out field by field, because 8 KiB on the wire
  /// can unpack to 32 MiB.
  /// - Returns: False resets the stream; `headersEnded` does not follow.
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
  /// The stream was refused before any work was done: it is safe to send it again.
  static let refusedStream = HTTP2ErrorCode(rawValue: 7)
  static let cancel = HTTP2ErrorCode(rawValue: 8)
  static let enhanceYourCalm = HTTP2ErrorCode(rawValue: 11)
}
