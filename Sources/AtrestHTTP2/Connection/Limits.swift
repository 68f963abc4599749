// SPDX-License-Identifier: Apache-2.0
// Bounds what a peer can make this process buffer, do or wait for.

/// All bounds on what a peer controls. The socket's owner enforces those it alone can:
/// ``connectTimeout`` and ``writeStall``.
public struct Limits: Sendable {
  /// The default limits of servers and clients.
  public static let `default` = Limits()

  /// Creates limits with default values.
  public init() {}

  // MARK: Sizes

  /// Maximum message size in bytes, both compressed and inflated. A page of records is at most 256
  /// KiB; the rest is slack for its envelope. Checked against the declared length before buffering.
  public var maxMessageBytes = 256 * 1024 + 16 * 1024
  /// Maximum ratio of inflated to compressed bytes. Real pages compress 3 to 20 times; only a
  /// decompression bomb reaches zlib's ceiling of about 1,032.
  public var maxInflateRatio = 100
  /// Inflated size in bytes below which the ratio is not checked: a short run of zeros is not an
  /// attack.
  public var inflateRatioFloorBytes = 16 * 1024
  /// Messages shorter than this many bytes are sent uncompressed: gzip would make them longer.
  public var compressionThresholdBytes = 256
  /// Maximum header list size in bytes: name + value + 32 per field, as RFC 9113 counts it.
  /// Enforced here because nghttp2 only advertises it, and 8 KiB on the wire can decode to 32 MiB.
  public var maxHeaderListBytes = 16 * 1024
  /// Maximum number of fields in one header block.
  public var maxHeaderCount = 64
  /// Maximum size of our own trailers in bytes, counted the same way. Some gRPC clients refuse more
  /// than 8 KiB.
  public var maxTrailerBytes = 7 * 1024
  /// Flow-control window of one stream, in bytes.
  public var streamWindowBytes = 256 * 1024
  /// Flow-control window of one connection, in bytes.
  public var connectionWindowBytes = 1024 * 1024
  /// Maximum bytes queued for sending on one stream. An empty queue always accepts one message.
  /// Above it, `send` returns ``SendResult/queueFull``.
  public var streamQueueBytes = 256 * 1024
  /// Maximum bytes of incomplete requests over all calls of a connection. The call that exceeds it
  /// ends with RESOURCE_EXHAUSTED. A single call is always allowed.
  public var maxUnfinishedBytes = 4 * 1024 * 1024
  /// The same limit while the connection is unauthenticated (``ServerConnection/isAuthenticated``).
  /// The most recent calls end with RESOURCE_EXHAUSTED. A single call is always allowed.
  public var maxUnfinishedBytesUnauthenticated = 64 * 1024
  /// Maximum bytes of unsent responses over all calls of a connection. Above it, new calls and
  /// responses that do not fit end with RESOURCE_EXHAUSTED. A single response is always allowed.
  public var maxUnsentBytes = 4 * 1024 * 1024
  /// `appendOutput` stops once the owner's buffer holds this many bytes.
  public var outputHighWaterBytes = 256 * 1024

  // MARK: Counts

  /// SETTINGS_MAX_CONCURRENT_STREAMS: the calls that a peer may have open on one connection. A
  /// server's nghttp2 enforces it: one stream more ends the connection.
  public var maxConcurrentStreams = 100
  /// Maximum RST_STREAM frames from a peer within ``resetWindow`` before it gets GOAWAY. A person
  /// who taps "cancel" resets a few calls; a rapid-reset attack (CVE-2023-44487) resets thousands a
  /// second.
  public var maxPeerResets = 100
  /// Maximum streams this side resets with an error within ``resetWindow`` before the peer that
  /// provokes it gets GOAWAY (CVE-2025-8671).
  public var maxOwnResets = 50
  /// Maximum queued outgoing frames before a connection stops reading. Open calls queue a few
  /// hundred. Only replies to abuse pile up, and only while the peer does not read them.
  public var maxQueuedFrames = 2_000
  /// Maximum useless frames within ``resetWindow`` before the peer gets GOAWAY: PRIORITY, empty
  /// DATA, padding, unknown types, and WINDOW_UPDATE beyond what was sent. Real clients send a
  /// handful. Frames that belong to answered calls or to DATA sent to the peer do not count.
  public var maxIdleFrames = 1_000
  /// Maximum pings that arrive too early before the peer gets GOAWAY with `too_many_pings`.
  public var maxPingStrikes = 2

  // MARK: Times

  /// The period over which resets and useless frames are counted.
  public var resetWindow: Duration = .seconds(60)
  /// Minimum interval between a peer's pings while it has open calls. Sending it headers or data
  /// resets the count.
  public var minimumPingInterval: Duration = .seconds(20)
  /// Minimum interval between a peer's pings while it has no open calls.
  public var minimumIdlePingInterval: Duration = .seconds(300)
  /// Idle time after which this side sends a keepalive ping. Clients ping only while calls are
  /// open.
  public var keepaliveInterval: Duration = .seconds(60)
  /// How long a ping may go without any received byte before the connection counts as lost.
  public var keepaliveTimeout: Duration = .seconds(20)
  /// Time for TCP connect and TLS handshake together. Enforced by the socket's owner.
  public var connectTimeout: Duration = .seconds(10)
  /// Time from the start of a connection to the peer's preface and SETTINGS.
  public var handshakeTimeout: Duration = .seconds(5)
  /// Time from the handshake to the first request. Then a server drains the connection.
  public var firstRequestTimeout: Duration = .seconds(10)
  /// How long a header block, a first message, or a partial message may make no progress. A stream
  /// may stay silent between messages indefinitely, unless the owner expects only its end
  /// (``ServerConnection/expectEnd(_:keptBytes:)``), and before its first message if the owner
  /// expects a stream of them (``ServerConnection/expectMessages(_:)``).
  public var requestStall: Duration = .seconds(10)
  /// Maximum time from the first byte of a request's headers, or of a later message, to the end of
  /// that message, however steadily bytes arrive.
  public var requestTimeout: Duration = .seconds(60)
  /// How long a stream's queued bytes may make no progress before the stream is reset. The socket's
  /// owner uses it for unwritable sockets too.
  public var writeStall: Duration = .seconds(60)
  /// Maximum time in which a file of a ``WebSite`` is read. Then the stream is reset.
  public var fileTimeout: Duration = .seconds(300)
  /// How long the rest of a request may arrive, and be discarded, after its response has ended.
  /// Then the stream is reset with NO_ERROR. Not at once: haproxy 2.6 would replace the response
  /// that it has received by a reset, and the caller would see CANCELLED.
  public var lateRequest: Duration = .seconds(1)
  /// Time without a call after which this side drains a connection.
  public var idleConnection: Duration = .seconds(900)
  /// How long a drain waits for the peer to acknowledge the first GOAWAY before it sends the
  /// second.
  public var drainNotice: Duration = .seconds(1)
  /// How long calls may continue after a drain begins.
  public var drainGrace: Duration = .seconds(10)
}
