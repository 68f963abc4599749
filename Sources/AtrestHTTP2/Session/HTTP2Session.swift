// SPDX-License-Identifier: Apache-2.0
// Wraps nghttp2: the only owner of its session and of the connection's lifecycle.

import AtrestLedger
import CAtrestNghttp2

/// One HTTP/2 connection, client or server: frames, windows, pings, timers, shutdown. Unaware of
/// gRPC. Reports each ``HTTP2Event`` to its owner from within nghttp2's callback, which may submit
/// frames but neither receive nor send.
///
/// Not Sendable; has no socket and no clock.
final class HTTP2Session {
  /// Memory of a connection without calls, in bytes: nghttp2's session and the header tables, which
  /// small fields make ten times their counted size. Measured: see Tests/Heap.
  static let ownBytes = 24 * 1024

  let limits: Limits
  let times: Times
  /// The owner owns this object and triggers every callback by its calls, so it is alive in each
  /// callback. Set before the first call.
  unowned(unsafe) var owner: (any HTTP2SessionOwner)?
  /// The latest instant passed in by the owner.
  var now: Instant
  /// Freed in `deinit`.
  private let session: OpaquePointer?
  /// What nghttp2 holds for this session. Freed in `deinit`, after the session.
  private let heap = UnsafeMutablePointer<atrest_session_heap>.allocate(capacity: 1)
  /// What it held before the first byte.
  private let idleHeapBytes: Int
  private var lifecycle: ConnectionLifecycle
  private let ownCharge: Charge
  /// nghttp2 failed on the input: pending output is sent, nothing more is read.
  private var isInputBroken = false

  init(_ role: ConnectionLifecycle.Role, limits: Limits, now: Instant, overhead: Balance) {
    self.limits = limits
    self.now = now
    times = Times(limits)
    ownCharge = Charge(Self.ownBytes, at: overhead)
    lifecycle = ConnectionLifecycle(role, times: times, now: now)
    heap.initialize(to: atrest_session_heap(bytes: 0))
    session = makeNghttp2Session(role, limits: limits, heap: heap)
    idleHeapBytes = Int(heap.pointee.bytes)
    if let session {
      // nghttp2 does not retain the pointer. No callback can follow `deinit`: only calls of this
      // object trigger callbacks.
      nghttp2_session_set_user_data(session, Unmanaged.passUnretained(self).toOpaque())
    } else {
      lifecycle.terminated()
    }
  }

  deinit {
    if let session { nghttp2_session_del(session) }
    heap.deallocate()
  }

  /// What the peer makes the session hold beyond what it takes by itself, in bytes: header tables,
  /// streams, and frames that wait.
  var grownBytes: Int { max(0, Int(heap.pointee.bytes) - idleHeapBytes) }

  // MARK: Bytes

  func receive(_ bytes: UnsafeRawBufferPointer, at now: Instant) {
    self.now = now
    guard lifecycle.isReading, !isInputBroken, !bytes.isEmpty else { return }
    lifecycle.bytesArrived(at: now)
    let count = nghttp2_session_mem_recv(
      session, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count)
    if count < 0 { isInputBroken = true }
  }

  /// Appends output until none is left or `buffer` holds ``Limits/outputHighWaterBytes``.
  func appendOutput(to buffer: inout [UInt8]) {
    while !lifecycle.isTerminated, buffer.count < limits.outputHighWaterBytes {
      var chunk: UnsafePointer<UInt8>?
      let count = nghttp2_session_mem_send(session, &chunk)
      guard count > 0 else {
        if count < 0 || isInputBroken || isDone { terminate(.connectionLost) }
        return
      }
      buffer.append(contentsOf: UnsafeBufferPointer(start: chunk, count: count))
    }
  }

  /// True when nothing is left to read or append.
  var isFinished: Bool { lifecycle.isTerminated || isDone }

  /// False while more than ``Limits/maxQueuedFrames`` frames wait to be sent.
  var acceptsInput: Bool {
    lifecycle.isTerminated
      || nghttp2_session_get_outbound_queue_size(session) <= limits.maxQueuedFrames
  }

  /// Whether nghttp2 wants neither to read nor to write.
  private var isDone: Bool {
    nghttp2_session_want_read(session) == 0 && nghttp2_session_want_write(session) == 0
  }

  // MARK: Lifecycle

  var isTerminated: Bool { lifecycle.isTerminated }
  var isReading: Bool { lifecycle.isReading }
  var isHandshaken: Bool { lifecycle.isHandshaken }
  /// Whether this side has sent its final GOAWAY.
  var isDraining: Bool { lifecycle.lastStream != nil }

  /// Whether a GOAWAY has promised not to serve this stream.
  func isRefused(_ stream: Int32) -> Bool {
    lifecycle.lastStream.map { stream > $0 } ?? false
  }

  /// The first call began after an idle time.
  func callsBegan() { lifecycle.requestBegan() }
  /// The last open call ended.
  func callsEnded() { lifecycle.idleSince = now }

  /// When to call ``timePassed()``. May be early, never late. Nil means never.
  var nextDeadline: Instant? { lifecycle.nextDeadline }

  /// Performs all due actions.
  func timePassed() {
    while let action = lifecycle.dueAction(at: now) { perform(action) }
  }

  func beginDrain() {
    if let action = lifecycle.beginDrain(at: now) { perform(action) }
  }

  /// Ends the connection and all its calls, without further output.
  func terminate(_ reason: Cancellation) {
    guard !lifecycle.isTerminated else { return }
    lifecycle.terminated()
    owner?.handle(.ended(reason))
  }

  /// Sends GOAWAY with an error to a misbehaving peer, then ends the connection. The owner receives
  /// ``HTTP2Event/ended`` once the frame is sent.
  /// - Returns: False if the connection is ending already.
  func sendGoAway(_ code: HTTP2ErrorCode, _ reason: StaticString) -> Bool {
    guard lifecycle.goAwayBegan() else { return false }
    nghttp2_submit_goaway(
      session, noFlags, nghttp2_session_get_last_proc_stream_id(session), code.rawValue,
      reason.utf8Start, reason.utf8CodeUnitCount)
    return true
  }

  private func perform(_ action: ConnectionLifecycle.Action) {
    switch action {
    case .sendPing:
      nghttp2_submit_ping(session, noFlags, nil)
    case .sendShutdownNotice:
      nghttp2_submit_shutdown_notice(session)
      drainPing.withUnsafeBufferPointer {
        _ = nghttp2_submit_ping(session, noFlags, $0.baseAddress)
      }
    case .sendFinalGoAway:
      // Streams above the last one seen are not processed.
      let last = nghttp2_session_get_last_proc_stream_id(session)
      lifecycle.drainBegan(lastStream: last)
      nghttp2_submit_goaway(session, noFlags, last, HTTP2ErrorCode.noError.rawValue, nil, 0)
    case .abandonCalls:
      owner?.handle(.graceOver)
    case .terminate(let reason):
      terminate(reason)
    }
  }

  // MARK: Streams

  /// Whether a client may open another stream beside `open` streams.
  func canBegin(streamBeside open: Int) -> Bool {
    guard !isFinished, nghttp2_session_check_request_allowed(session) != 0 else { return false }
    let allowed = nghttp2_session_get_remote_settings(
      session, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS)
    // Until the server's SETTINGS arrive its limit is unlimited; our own limit is a polite guess.
    return open < min(Int(allowed), limits.maxConcurrentStreams)
  }

  /// Opens a stream. Its body is requested with `readBody`.
  /// - Returns: The stream ID, or nil if no stream can be opened.
  func submitRequest(_ fields: HeaderList) -> Int32? {
    var provider = bodyProvider()
    let stream = fields.withFields {
      nghttp2_submit_request(session, nil, $0, $1, &provider, nil)
    }
    return stream > 0 ? stream : nil
  }

  /// Sends a response's headers. Its body, if any, is requested with `readBody`.
  func submitResponse(_ stream: Int32, _ fields: HeaderList, hasBody: Bool) {
    guard !isTerminated else { return }
    _ = fields.withFields { list, count in
      guard hasBody else { return nghttp2_submit_response(session, stream, list, count, nil) }
      var provider = bodyProvider()
      return nghttp2_submit_response(session, stream, list, count, &provider)
    }
  }

  func submitResponse(_ stream: Int32, _ fields: ConstantHeaders) {
    var provider = bodyProvider()
    nghttp2_submit_response(
      session, stream, fields.list.baseAddress, fields.list.count, &provider)
  }

  /// Call only while `readBody` returns ``HTTP2BodyPart/beforeTrailers(_:)``.
  func submitTrailers(_ stream: Int32, _ fields: HeaderList) {
    _ = fields.withFields { nghttp2_submit_trailer(session, stream, $0, $1) }
  }

  func submitTrailers(_ stream: Int32, _ fields: ConstantHeaders) {
    nghttp2_submit_trailer(session, stream, fields.list.baseAddress, fields.list.count)
  }

  /// Requests a stream's body again after ``HTTP2BodyPart/deferred``.
  func resume(_ stream: Int32) {
    guard !isTerminated else { return }
    nghttp2_session_resume_data(session, stream)
  }

  func reset(_ stream: Int32, _ code: HTTP2ErrorCode) {
    guard !isTerminated else { return }
    nghttp2_submit_rst_stream(session, noFlags, stream, code.rawValue)
  }

  /// Whether a closed flow-control window blocks the stream's body.
  func isBlocked(_ stream: Int32) -> Bool {
    nghttp2_session_get_stream_remote_window_size(session, stream) <= 0
      || nghttp2_session_get_remote_window_size(session) <= 0
  }

  /// Reopens both windows for bytes that were read.
  func consume(_ stream: Int32, _ count: Int) {
    nghttp2_session_consume(session, stream, count)
  }

  /// Reopens only the connection window: the stream's sender waits, other streams continue.
  func consumeConnection(_ count: Int) {
    nghttp2_session_consume_connection(session, count)
  }

  /// Reopens the stream window, after `consumeConnection` reopened the connection's.
  func consumeStream(_ stream: Int32, _ count: Int) {
    nghttp2_session_consume_stream(session, stream, count)
  }
}

// MARK: nghttp2 callbacks

extension HTTP2Session {
  func headersBegan(_ stream: Int32) {
    lifecycle.headerBlockBegan(at: now)
    owner?.handle(.headersBegan(stream: stream))
  }

  func takeHeader(
    _ stream: Int32, _ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>
  ) -> Bool {
    if owner?.takeHeader(stream, name, value) ?? true { return true }
    // nghttp2 skips the rest of the block and does not report its end.
    lifecycle.headerBlockEnded()
    return false
  }

  /// A malformed header block ends here, not in `frameArrived`.
  func invalidFrameArrived() { lifecycle.headerBlockEnded() }

  func dataArrived(_ stream: Int32, _ bytes: UnsafeRawBufferPointer) {
    owner?.handle(.data(stream: stream, bytes))
  }

  func streamClosed(_ stream: Int32, _ code: HTTP2ErrorCode) {
    owner?.handle(.streamClosed(stream: stream, code))
  }

  func readBody(
    _ stream: Int32, into target: UnsafeMutablePointer<UInt8>, capacity: Int
  ) -> HTTP2BodyPart {
    owner?.readBody(stream, into: target, capacity: capacity) ?? .gone
  }

  func frameArrived(_ frame: UnsafePointer<nghttp2_frame>) {
    let head = frame.pointee.hd
    let isEnd = head.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0
    let isAcknowledgement = head.flags & UInt8(NGHTTP2_FLAG_ACK.rawValue) != 0
    switch UInt32(head.type) {
    case NGHTTP2_DATA.rawValue:
      if isEnd {
        owner?.handle(.dataEnded(stream: head.stream_id))
      } else if head.length > 0, frame.pointee.data.padlen >= head.length {
        owner?.handle(.padding)
      }
    case NGHTTP2_HEADERS.rawValue:
      lifecycle.headerBlockEnded()
      owner?.handle(.headersEnded(stream: head.stream_id, isEnd: isEnd))
    case NGHTTP2_RST_STREAM.rawValue:
      owner?.handle(.reset(stream: head.stream_id))
    case NGHTTP2_SETTINGS.rawValue:
      guard !isAcknowledgement else { return }
      lifecycle.settingsArrived(at: now)
      owner?.handle(.settings)
    case NGHTTP2_PING.rawValue:
      guard isAcknowledgement else {
        owner?.handle(.ping)
        return
      }
      let isNotice = withUnsafeBytes(of: frame.pointee.ping.opaque_data) {
        $0.elementsEqual(drainPing)
      }
      if isNotice, let action = lifecycle.noticeAcknowledged() { perform(action) }
    case NGHTTP2_GOAWAY.rawValue:
      owner?.handle(.goAway)
    default:
      break
    }
  }

  func frameSent(_ frame: UnsafePointer<nghttp2_frame>) {
    let head = frame.pointee.hd
    switch UInt32(head.type) {
    case NGHTTP2_DATA.rawValue, NGHTTP2_HEADERS.rawValue:
      owner?.handle(
        .payloadSent(
          FrameHead(
            length: head.length, type: head.type, flags: head.flags, stream: head.stream_id),
          isEnd: head.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0))
    case NGHTTP2_RST_STREAM.rawValue:
      owner?.handle(
        .resetSent(HTTP2ErrorCode(rawValue: frame.pointee.rst_stream.error_code)))
    case NGHTTP2_GOAWAY.rawValue:
      if let action = lifecycle.goAwaySent() { perform(action) }
    default:
      break
    }
  }
}

private let noFlags = UInt8(NGHTTP2_FLAG_NONE.rawValue)
/// Distinguishes the ACK of a drain's ping from other ACKs.
private let drainPing: [UInt8] = Array("drain!!!".utf8)
