// SPDX-License-Identifier: Apache-2.0
// One connected socket: when it is read, written, timed out and closed.

import AtrestHTTP2
import CAtrestEpoll
import Glibc

/// Drives a `ByteStreamHandler` from a socket. Lives on one shard and is used there only.
///
/// Reading takes at most 64 KiB a turn, so that no connection starves the others. Writing happens
/// once at the end of a turn; the handler is asked for more only when the kernel took everything
/// before, so a peer that does not read holds at most one `appendOutput` of memory here.
public final class SocketConnection: ByteStreamOwner {
  /// What an owner may choose.
  public struct Options: Sendable {
    /// How long a peer may leave bytes waiting without reading any.
    public var writeStallTimeout: Duration = .seconds(60)
    /// How long a closed connection waits for the peer's FIN, so that the last bytes sent are not
    /// destroyed by the RST that closing over unread input causes.
    public var lingerTimeout: Duration = .seconds(1)

    /// The defaults.
    public init() {}
  }

  enum State {
    /// `connect` is under way; closes at the instant if it still is.
    case connecting(until: Instant)
    case open
    /// All is sent and the handler is gone; only the peer's FIN is awaited.
    case lingering(until: Instant, discarded: Int)
    case closed
  }

  /// The most that is thrown away while lingering, in bytes.
  static let lingerLimitBytes = 1 << 20
  /// Writes per flush before other connections get their turn.
  static let writesPerTurn = 4

  /// Who is at the other end.
  public let peer: SocketAddress
  /// The shard it lives on.
  public let shard: Shard
  /// Given back when the descriptor has been closed.
  public let slot: ConnectionSlot?
  let options: Options
  let descriptor: CInt
  var state: State
  var handler: (any ByteStreamHandler)?
  var isTouched = false
  /// Set by `close()` and by failures; carried out at the end of the turn.
  var closeRequest: CloseReason?
  var inputHasEnded = false
  /// Bytes the kernel would not take, from `sentOfPending` on.
  var pending: [UInt8] = []
  var sentOfPending = 0
  private var stallsAt: Instant?
  private var key: UInt64?
  private var watched: UInt32 = 0
  private var deadline: (token: DeadlineToken, at: Instant)?

  init(
    descriptor: CInt, peer: SocketAddress, shard: Shard, state: State, options: Options,
    handler: any ByteStreamHandler, slot: ConnectionSlot?
  ) {
    self.descriptor = descriptor
    self.peer = peer
    self.shard = shard
    self.state = state
    self.options = options
    self.handler = handler
    self.slot = slot
  }

  /// Takes over an accepted socket.
  static func adopt(
    _ descriptor: CInt, peer: SocketAddress, on shard: Shard, options: Options,
    handler: any ByteStreamHandler, slot: ConnectionSlot
  ) {
    let connection = SocketConnection(
      descriptor: descriptor, peer: peer, shard: shard, state: .open, options: options,
      handler: handler, slot: slot)
    connection.watch(ATREST_EPOLL_IN)
    if connection.closeRequest == nil { handler.opened(by: connection, at: shard.now) }
    // Let go of when the slot is given back.
    let bound = ShardBound(connection, to: shard)
    slot.whenEvicted { shard.async { bound.value.close() } }
    shard.touch(connection)
  }

  // MARK: ByteStreamOwner

  /// Has the handler's output collected and sent at the end of this turn.
  public func needsFlush() {
    shard.preconditionOnShard()
    shard.touch(self)
  }

  /// Ends the connection at the end of this turn; what is in hand is not sent.
  public func close() {
    shard.preconditionOnShard()
    request(.closedHere)
  }

  func request(_ reason: CloseReason) {
    if closeRequest == nil { closeRequest = reason }
    shard.touch(self)
  }

  // MARK: Events

  func ready(_ events: UInt32) {
    switch state {
    case .connecting:
      finishConnecting()
    case .open:
      if events & ATREST_EPOLL_OUT != 0 { shard.touch(self) }
      if inputHasEnded {
        // Nobody is left at the other end: nothing that waits can be delivered.
        if events & (ATREST_EPOLL_ERR | ATREST_EPOLL_HUP) != 0 { request(.reset) }
      } else if events & (ATREST_EPOLL_IN | ATREST_EPOLL_ERR | ATREST_EPOLL_HUP) != 0 {
        read(peerIsGone: events & (ATREST_EPOLL_ERR | ATREST_EPOLL_HUP) != 0)
      }
    case .lingering(let until, let discarded):
      discardInput(until: until, discarded: discarded)
    case .closed:
      break
    }
  }

  func deadlineReached(at now: Instant) {
    deadline = nil
    switch state {
    case .connecting(let until):
      if until <= now {
        request(.failed(SocketError(.connect, errno: ETIMEDOUT, address: peer.description)))
      }
    case .open:
      if let stallsAt, stallsAt <= now { request(.writeStalled) }
      if let next = handler?.nextDeadline, next <= now { handler?.deadlineReached(at: now) }
    case .lingering(let until, _):
      if until <= now { terminate(.finished) }
    case .closed:
      return
    }
    shard.touch(self)
  }

  /// The end of a turn that touched the connection: sends, closes, and sets watch and deadline
  /// anew.
  func flush(at now: Instant) {
    isTouched = false
    if let closeRequest { return terminate(closeRequest) }
    if case .open = state {
      write(at: now)
      if let closeRequest { return terminate(closeRequest) }
      if pending.isEmpty, handler?.isFinished == true { finish(at: now) }
    }
    updateWatch()
    updateDeadline(at: now)
  }

  /// Notes that the kernel took bytes, or that some began to wait.
  func noteProgress(at now: Instant) {
    stallsAt = pending.isEmpty ? nil : now.advanced(by: options.writeStallTimeout)
  }

  // MARK: Watching

  func watch(_ events: UInt32) {
    // The epoll descriptor of a stopped shard is closed; its number may be another's by now.
    guard !shard.isStopped else { return request(.closedHere) }
    do {
      key = try shard.sockets.add(self, descriptor: descriptor, events: events)
      watched = events
    } catch {
      request(.failed(error))
    }
  }

  private func updateWatch() {
    guard let key else { return }
    var wanted: UInt32 = 0
    switch state {
    case .connecting: wanted = ATREST_EPOLL_OUT
    case .open:
      if !inputHasEnded, handler?.acceptsInput == true { wanted |= ATREST_EPOLL_IN }
      if !pending.isEmpty { wanted |= ATREST_EPOLL_OUT }
    case .lingering: wanted = ATREST_EPOLL_IN
    case .closed: return
    }
    guard wanted != watched else { return }
    watched = wanted
    shard.sockets.modify(key, descriptor: descriptor, events: wanted)
  }

  private func updateDeadline(at now: Instant) {
    var wanted: Instant?
    switch state {
    case .connecting(let until), .lingering(let until, _): wanted = until
    case .open:
      wanted = handler?.nextDeadline
      if let stallsAt { wanted = min(stallsAt, wanted ?? stallsAt) }
    case .closed: return
    }
    guard let wanted else { return }
    // A deadline that moved later is left where it is: when it comes, the new one is set. Calls
    // come and go by the thousand between two firings, and none of them touches the heap.
    if let deadline {
      if deadline.at <= wanted { return }
      shard.remove(deadline.token)
    }
    // A handler that answers with the past again and again gets a turn per millisecond, not all.
    let at = max(wanted, now.advanced(by: .milliseconds(1)))
    deadline = (shard.add(self, at: at), at)
  }

  // MARK: Ending

  /// All is sent: says so to the peer, and waits a little for its answer.
  private func finish(at now: Instant) {
    guard !inputHasEnded else { return terminate(.finished) }
    _ = shutdown(descriptor, CInt(SHUT_WR))
    state = .lingering(until: now.advanced(by: options.lingerTimeout), discarded: 0)
    let handler = self.handler
    self.handler = nil
    handler?.closed(.finished, at: now)
  }

  private func discardInput(until: Instant, discarded: Int) {
    let buffer = shard.sockets.readBuffer
    let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
    if count < 0, errno == EAGAIN || errno == EINTR { return }
    guard count > 0, discarded + count < Self.lingerLimitBytes else { return terminate(.finished) }
    state = .lingering(until: until, discarded: discarded + count)
  }

  /// Closes the descriptor, once, and tells the handler.
  func terminate(_ reason: CloseReason) {
    if case .closed = state { return }
    state = .closed
    pending = []
    if let deadline { shard.remove(deadline.token) }
    deadline = nil
    if let key { shard.sockets.remove(key, descriptor: descriptor) }
    if descriptor >= 0 { _ = Glibc.close(descriptor) }
    let handler = self.handler
    self.handler = nil
    handler?.closed(reason, at: shard.now)
    slot?.release()
  }
}
