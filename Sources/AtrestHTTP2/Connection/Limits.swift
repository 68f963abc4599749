// SPDX-License-Identifier: Apache-2.0
// Decides how much of anything a peer may make this process hold, do or wait for.

/// Every bound on what a peer controls, in one place. The owner of a connection reads the ones that
/// only it can enforce (``connectTimeout`` and ``writeStall`` of a socket).
public struct Limits: Sendable {
  /// The limits a server and a client start from.
  public static let `default` = Limits()

  /// All limits at their defaults.
  public init() {}

  // MARK: Sizes

  /// Bytes of one message, compressed and again after inflating. A page of records is at most 256
  /// KiB; the slack is for what surrounds it. Checked against the declared length before anything
  /// is buffered.
  public var maxMessageBytes = 256 * 1024 + 16 * 1024
  /// How many bytes one compressed byte may become. Real pages compress 3 to 20 times; zlib's own
  /// ceiling is about 1,032, which only a bomb reaches.
  public var maxInflateRatio = 100
  /// Output below which the ratio is not judged, in bytes: a short run of zeros is not an attack.
  public var inflateRatioFloorBytes = 16 * 1024
  /// Messages shorter than this many bytes are sent as they are: gzip makes them longer.
  public var compressionThresholdBytes = 256
  /// Sum of name + value + 32 over one header block, as RFC 9113 counts it. nghttp2 does not
  /// enforce what it advertises, and 8 KiB on the wire can unpack to 32 MiB, so this module counts.
  public var maxHeaderListBytes = 16 * 1024
  /// Fields in one header block.
  public var maxHeaderCount = 64
  /// Bytes our own trailers may take, counted the same way. Some gRPC clients refuse more than 8
  /// KiB.
  public var maxTrailerBytes = 7 * 1024
  /// Flow-control window of one stream, in bytes: what a peer may send ahead on it.
  public var streamWindowBytes = 256 * 1024
  /// Flow-control window of a connection, in bytes.
  public var connectionWindowBytes = 1024 * 1024
  /// Bytes that may wait on one stream for the peer to read. One message is always accepted by an
  /// empty queue. Beyond it `send` answers ``SendResult/queueFull``.
  public var streamQueueBytes = 256 * 1024
  /// Bytes of requests that have not arrived whole, over all calls of a connection. The call that
  /// takes it further is answered RESOURCE_EXHAUSTED. One message always fits.
  public var maxUnfinishedBytes = 4 * 1024 * 1024
  /// The same, while nobody on the connection has proved who they are
  /// (``ServerConnection/isAuthenticated``). The calls begun last are answered RESOURCE_EXHAUSTED.
  /// One message always fits.
  public var maxUnfinishedBytesUnauthenticated = 64 * 1024
  /// Bytes of answers that wait for the peer to read, over all calls of a connection. Beyond it new
  /// calls, and answers that would not fit, are RESOURCE_EXHAUSTED. One answer always fits.
  public var maxUnsentBytes = 4 * 1024 * 1024
  /// `appendOutput` stops once the owner's buffer holds this many bytes.
  public var outputHighWaterBytes = 256 * 1024

  // MARK: Counts

  /// Calls a peer may have open on one connection.
  public var maxConcurrentStreams = 100
  /// Calls a peer may reset on one connection within ``resetWindow`` before it is sent away. A
  /// person who taps "cancel" resets a few; a rapid-reset attack (CVE-2023-44487) resets thousands
  /// a second.
  public var maxPeerResets = 100
  /// Streams this side may reset with an error within ``resetWindow`` before the peer that provokes
  /// it is sent away (CVE-2025-8671).
  public var maxOwnResets = 50
  /// Frames that may wait to be sent before a connection reads no more. Those of open calls are a
  /// few hundred; only answers to abuse pile up, and only while the peer does not read them.
  public var maxQueuedFrames = 2_000
  /// Frames that bring nothing (PRIORITY, empty DATA, padding, unknown kinds, WINDOW_UPDATE beyond
  /// what was sent) within ``resetWindow`` before the peer is sent away. Real clients send a
  /// handful; those that go with answered calls and with DATA sent to the peer do not count.
  public var maxIdleFrames = 1_000
  /// Pings that come too soon before a peer is sent away with `too_many_pings`.
  public var maxPingStrikes = 2

  // MARK: Times

  /// The period over which resets are counted.
  public var resetWindow: Duration = .seconds(60)
  /// Least time between pings of a peer with calls open. Sending it headers or data forgives.
  public var minimumPingInterval: Duration = .seconds(20)
  /// Least time between pings of a peer without calls.
  public var minimumIdlePingInterval: Duration = .seconds(300)
  /// Silence after which this side pings. A server always; a client only while calls are open.
  public var keepaliveInterval: Duration = .seconds(60)
  /// How long a ping may go unanswered, by any byte at all, before the connection counts as lost.
  public var keepaliveTimeout: Duration = .seconds(20)
  /// For the owner of a socket: time for TCP and TLS together.
  public var connectTimeout: Duration = .seconds(10)
  /// From the first moment of a connection to the peer's preface and SETTINGS.
  public var handshakeTimeout: Duration = .seconds(5)
  /// From the handshake to the first request; after it a server drains the connection.
  public var firstRequestTimeout: Duration = .seconds(10)
  /// How long a header block, a first message or a message already begun may make no progress.
  /// A stream that is silent between two messages may be silent for ever, unless the owner said
  /// that only its end is due (``ServerConnection/expectEnd(_:)``).
  public var requestStall: Duration = .seconds(10)
  /// From the first byte of a request's headers, or of a later message, to the end of that message:
  /// however steadily bytes come, a message that takes longer is given up.
  public var requestTimeout: Duration = .seconds(60)
  /// How long queued bytes of a stream may make no progress before it is reset. The owner of a
  /// socket uses the same for bytes a socket does not take.
  public var writeStall: Duration = .seconds(60)
  /// Time without a call after which a server drains a connection.
  public var idleConnection: Duration = .seconds(900)
  /// How long the first GOAWAY of a drain waits for the peer's answer before the second one goes
  /// out.
  public var drainNotice: Duration = .seconds(1)
  /// How long calls may go on after a drain has begun.
  public var drainGrace: Duration = .seconds(10)
}
