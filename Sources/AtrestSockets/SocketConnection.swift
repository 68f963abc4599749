// SPDX-License-Identifier: Apache-2.0
// One connected socket: reading, writing, timeouts, closing.

import AtrestHTTP2
import CAtrestEpoll
import Glibc

/// Drives a `ByteStreamHandler` from a socket. Confined to one shard.
///
/// Reads at most 64 KiB per turn, so no connection starves the others. Writes once, at the end of a
/// turn, and asks the handler for more only when the kernel has taken everything. A peer that does
/// not read thus pins at most one `appendOutput` of memory.
public final class SocketConnection: ByteStreamOwner {
  /// A connection's options.
  public struct Options: Sendable {
    /// How long output may wait for a peer that reads nothing.
    public var writeStallTimeout: Duration = .seconds(60)
    /// How long a closed connection waits for the peer's FIN. Closing with unread input sends an
    /// RST, which would destroy the last bytes sent.
    public var lingerTimeout: Duration = .seconds(1)

    /// Creates the default options.
    public init() {}
  }

  enum State {
    /// `connect` is in progress; fails at `until`.
    case connecting(until: Instant)
    case open
    /// All output is sent and the handler is released. Waits only for the peer's FIN.
    case lingering(until: Instant, discarded: Int)
    case closed
  }

  /// Maximum input discarded while lingering, in bytes.
  static let lingerLimitBytes = 1 << 20
  /// Maximum writes per flush, so that other connections get their turn.
  static let writesPerTurn = 4

  /// The peer's address.
  public let peer: SocketAddress
  /// The connection's shard.
  public let shard: Shard
  /// Released when the descriptor is closed.
  public let slot: ConnectionSlot?
  let options: Options
  let descriptor: CInt
  var state: State
  var handler: (any ByteStreamHandler)?
  var isTouched = false
  /// Set by `close()` and by failures; executed at the end of the turn.
  var closeRequest: CloseReason?
  var inputHasEnded = false
  /// Bytes the kernel did not take, from `sentOfPending` on.
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

  /// Creates a connection for an accepted socket.
  static func adopt(
    _ descriptor: CInt, peer: SocketAddress, on shard: Shard, options: Options,
    handler: any ByteStreamHandler, slot: ConnectionSlot
  ) {
    let connection = SocketConnection(
      descriptor: descriptor, peer: peer, shard: shard, state: .open, options: options,
      handler: handler, slot: slot)
    connection.watch(ATREST_EPOLL_IN)
    if connection.closeRequest == nil { handler.opened(by: connection, at: shard.now) }
    // Released with the slot.
    let bound = ShardBound(connection, to: shard)
    slot.whenEvicted { shard.async { bound.value.close() } }
    shard.touch(connection)
  }

  // MARK: ByteStreamOwner

  /// Schedules a flush of the handler's output for the end of this turn.
  public func needsFlush() {
    shard.preconditionOnShard()
    shard.touch(self)
  }

  /// Closes the connection at the end of this turn. Pending output is not sent.
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
        // The peer is gone: pending output cannot be delivered.
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

  /// Ends a turn that touched the connection: sends, closes, and updates epoll events and deadline.
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

  /// Restarts the stall timer after the kernel took bytes, or starts it when bytes become pending.
  func noteProgress(at now: Instant) {
    stallsAt = pending.isEmpty ? nil : now.advanced(by: options.writeStallTimeout)
  }

  // MARK: Watching

  func watch(_ events: UInt32) {
    // The epoll descriptor of a stopped shard is closed, and its number may have been reused.
    guard !shard.isStopped else { return request(.closedHere) }
    do {
      key = try shard.sockets.add(.connection(self), descriptor: descriptor, events: events)
      watched = events
    } catch {
      let code = error.code
      request(.failed(SocketError(.transfer, errno: code, address: peer.description)))
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
    // A deadline that moved later stays as it is; when it fires, the new one is set. Thousands of
    // calls come and go between two firings without touching the heap.
    if let deadline {
      if deadline.at <= wanted { return }
      shard.remove(deadline.token)
    }
    // A handler that keeps returning a past deadline gets one turn per millisecond, not all.
    let at = max(wanted, now.advanced(by: .milliseconds(1)))
    deadline = (shard.add(self, at: at), at)
  }

  // MARK: Ending

  /// All output is sent: shuts down the write side and waits briefly for the peer's FIN.
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

  /// Closes the descriptor, once, and notifies the handler.
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
