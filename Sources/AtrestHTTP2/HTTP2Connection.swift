// SPDX-License-Identifier: Apache-2.0
// Decides the life of one HTTP/2 connection, whichever end it is: bytes, timers, pings, the end.

import AtrestLedger
import CAtrestNghttp2

/// What a ``ServerConnection`` and a ``ClientConnection`` share. Without a socket and without a
/// clock.
///
/// The owner loops: `receive` what arrived and act on the events; ``appendOutput(to:)``, write;
/// take `pendingEvents`; ask ``nextDeadline`` when to call `deadlineReached`; close when
/// ``isFinished`` and all is written, and call `peerClosed` so that calls still open end. Verbs may
/// be called at any time on the owner's executor, while events are being taken too, and tolerate a
/// call that has ended meanwhile. Not Sendable.
public class HTTP2Connection {
  /// The bounds this connection keeps.
  public let limits: Limits
  /// Where what the peer makes this connection hold is booked: messages that are not whole,
  /// messages that are not read. Less as soon as the peer does its part. A server's is true when
  /// all events are taken, not between them.
  public let holder: Holder
  /// Where what the connection and its calls need by themselves is booked.
  public let overhead: Holder
  private let ownCharge: Charge
  let times: Times
  let codecs: Codecs
  /// Owned: freed in `deinit`. Only this class and its subclasses see it.
  let session: OpaquePointer?
  /// The latest moment the owner has told us.
  var now: Instant

  /// No further byte is read or written. Every call has ended.
  private(set) var isTerminated = false
  /// nghttp2 gave up on the input: what it still has to say is sent, nothing more is read.
  private var isFailing = false
  /// A GOAWAY with an error is on its way out; the connection dies once it has left.
  private(set) var isSendingGoAway = false

  var handshake: Handshake
  var keepalive: Keepalive
  var drain = Drain.none
  /// When the header block that is arriving began; one block stops every stream.
  var headerBlockSince: Instant?
  /// No call wants attention before this. May be early: it is not raised when a call ends.
  var callCheck: Instant?

  /// What a connection needs without a call, in bytes: nghttp2's session, and tables of header
  /// fields, which small fields make ten times as large as they count. Measured: see Tests/Heap.
  static let ownBytes = 24 * 1024
  /// What a call needs beside its messages, in bytes. Measured, too.
  static let callBytes = 1536

  init(
    limits: Limits, codecs: Codecs, now: Instant, isServer: Bool, holder: Holder, overhead: Holder
  ) {
    self.holder = holder
    self.overhead = overhead
    ownCharge = Charge(Self.ownBytes, at: overhead)
    self.limits = limits
    self.codecs = codecs
    self.now = now
    times = Times(limits)
    handshake = .awaitingSettings(until: now.advanced(byNanoseconds: times.handshake))
    keepalive = Keepalive(now: now)
    session = makeSession(limits: limits, isServer: isServer)
    if let session {
      // nghttp2 takes the pointer as it is: nothing is kept alive by it, and no callback can come
      // after `deinit`, since callbacks come only from calls this object makes.
      nghttp2_session_set_user_data(session, Unmanaged.passUnretained(self).toOpaque())
    } else {
      isTerminated = true
    }
  }

  deinit {
    if let session { nghttp2_session_del(session) }
  }

  // MARK: What the owner calls

  /// Appends what is to be sent, until nothing is left or `buffer` holds
  /// ``Limits/outputHighWaterBytes``. Call again once the buffer is written, until it appends
  /// nothing.
  public func appendOutput(to buffer: inout [UInt8]) {
    while !isTerminated, buffer.count < limits.outputHighWaterBytes {
      var chunk: UnsafePointer<UInt8>?
      let count = nghttp2_session_mem_send(session, &chunk)
      guard count > 0 else {
        if count < 0 || isFailing || isDone { terminate(.connectionLost) }
        return
      }
      buffer.append(contentsOf: UnsafeBufferPointer(start: chunk, count: count))
    }
  }

  /// True when nothing is left to read or to append: the owner writes what it has, then closes.
  public var isFinished: Bool { isTerminated || isDone }

  /// False while more than ``Limits/maxQueuedFrames`` wait to be sent. The owner then leaves what
  /// arrives unread: each frame of a peer that reads no answers could otherwise queue another one.
  public var acceptsInput: Bool {
    isTerminated || nghttp2_session_get_outbound_queue_size(session) <= limits.maxQueuedFrames
  }

  /// nghttp2's own word that the connection has served its purpose.
  private var isDone: Bool {
    nghttp2_session_want_read(session) == 0 && nghttp2_session_want_write(session) == 0
  }

  /// When `deadlineReached` wants to be called; may be early, never late. Nil means not at all.
  public var nextDeadline: Instant? {
    if isTerminated { return nil }
    var next = earliest(callCheck, handshake.deadline)
    next = earliest(next, keepaliveDeadline)
    next = earliest(next, drain.deadline)
    next = earliest(next, idleDeadline)
    return earliest(next, headerBlockSince?.advanced(byNanoseconds: times.requestStall))
  }

  /// Calls whose streams are open, finished by the owner or not.
  public var openCalls: Int { 0 }

  // MARK: Driven by the subclass

  func read(_ bytes: UnsafeRawBufferPointer, at now: Instant) {
    self.now = now
    guard !isTerminated, !isFailing, !isSendingGoAway, !bytes.isEmpty else { return }
    keepalive.heard(at: now)
    let count = nghttp2_session_mem_recv(
      session, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count)
    if count < 0 { isFailing = true }
  }

  func letTimePass(at now: Instant) {
    self.now = now
    guard !isTerminated else { return }
    if let due = handshake.deadline, due <= now {
      switch handshake {
      case .awaitingSettings: return terminate(.connectionLost)
      case .awaitingRequest, .done:
        handshake = .done
        startDrain()
      }
    }
    if let since = headerBlockSince, since.advanced(byNanoseconds: times.requestStall) <= now {
      return terminate(.connectionLost)
    }
    if let due = callCheck, due <= now { callCheck = checkCalls() }
    if let due = idleDeadline, due <= now { startDrain() }
    passDrainTime()
    passKeepaliveTime()
  }

  /// Ends everything: calls, reading, writing.
  func terminate(_ reason: Cancellation) {
    guard !isTerminated else { return }
    isTerminated = true
    callCheck = nil
    endAllCalls(reason)
  }

  /// Tells a misbehaving peer why, then dies.
  func sendGoAway(error code: nghttp2_error_code, _ reason: StaticString) {
    guard !isTerminated, !isSendingGoAway else { return }
    isSendingGoAway = true
    endAllCalls(.connectionLost)
    nghttp2_submit_goaway(
      session, UInt8(NGHTTP2_FLAG_NONE.rawValue),
      nghttp2_session_get_last_proc_stream_id(session), code.rawValue, reason.utf8Start,
      reason.utf8CodeUnitCount)
  }

  func resetStream(_ stream: Int32, _ code: nghttp2_error_code) {
    guard !isTerminated else { return }
    nghttp2_submit_rst_stream(
      session, UInt8(NGHTTP2_FLAG_NONE.rawValue), stream, code.rawValue)
  }

  func goAwayWasSent() {
    if isSendingGoAway { terminate(.connectionLost) }
  }

  /// Lowers the moment of the next look at the calls.
  func checkCalls(by moment: Instant) {
    callCheck = earliest(callCheck, moment)
  }

  // MARK: What the subclass decides

  /// When a connection without calls has been quiet for too long.
  var idleDeadline: Instant? { nil }
  /// Whether silence is worth a ping now.
  var wantsKeepalive: Bool { true }
  /// Looks at every call's deadline and progress. Returns when to look again.
  func checkCalls() -> Instant? { nil }
  func endAllCalls(_ reason: Cancellation) {}
  func settingsArrived() {}
  func headersBegan(_ stream: Int32) {}
  /// False resets the stream.
  func headerArrived(
    _ stream: Int32, _ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>
  ) -> Bool { true }
  func headersEnded(_ stream: Int32, isEnd: Bool) {}
  func dataArrived(_ stream: Int32, _ bytes: UnsafeRawBufferPointer) {}
  func dataEnded(_ stream: Int32) {}
  func resetArrived(_ stream: Int32, code: UInt32) {}
  func pingArrived() {}
  func goAwayArrived() {}
  func resetWasSent(_ stream: Int32, code: UInt32) {}
  /// A DATA frame has arrived that was all padding.
  func paddingArrived() {}
  func payloadWasSent(_ head: nghttp2_frame_hd, isEnd: Bool) {}
  func streamClosed(_ stream: Int32, code: UInt32) {}
  func readBody(
    _ stream: Int32, into target: UnsafeMutablePointer<UInt8>, capacity: Int,
    flags: UnsafeMutablePointer<UInt32>
  ) -> Int { Int(NGHTTP2_ERR_DEFERRED.rawValue) }
  /// The second half of a drain's grace: end what still runs.
  func abandonCalls() {}
}
