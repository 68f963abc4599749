// SPDX-License-Identifier: Apache-2.0
// Accepts connections and distributes them over shards.

import AtrestHTTP2
import CAtrestEpoll
import Dispatch
import Glibc

/// A listening socket. Accepts on its own queue and assigns connections to shards round-robin.
public final class Listener: @unchecked Sendable {
  // Sendable: the mutable members are touched only on `queue`.

  /// Creates the handler of an accepted connection, on its shard. Nil refuses the connection.
  public typealias MakeHandler =
    @Sendable (Shard, _ peer: SocketAddress) ->
    (any ByteStreamHandler)?

  /// Maximum number of accepts before other users of the queue run.
  static let acceptsPerTurn = 64
  /// How long accepting pauses when the process has no descriptor left.
  static let pause = DispatchTimeInterval.milliseconds(100)

  /// The listen address, with the actual port if 0 was requested.
  public let address: SocketAddress
  let descriptor: CInt
  let shards: [Shard]
  let budget: ConnectionBudget
  let options: SocketConnection.Options
  let makeHandler: MakeHandler
  let queue = DispatchQueue(label: "atrest.net.listener")
  let source: any DispatchSourceRead
  private let file: UnixSocketFile?

  /// A reserved descriptor. When no other is left, it allows accepting and closing a connection,
  /// which epoll would otherwise report forever. -1 while in use.
  var spare: CInt
  var nextShard = 0
  private var isPaused = false
  private var isStopped = false
  private let end = OneShotEvent()

  /// Binds and listens. Connections wait in the kernel until `start`.
  ///
  /// A Unix socket's file gets mode 0600. The file of a dead process is replaced. A file on which a
  /// process listens is not.
  /// - Parameters:
  ///   - address: With port 0, the system chooses a free port.
  ///   - shards: At least one.
  ///   - budget: The limits on connections. Listeners of a process can share one.
  ///   - makeHandler: Called on the shard, once per accepted connection.
  /// - Throws: `SocketError` of `.listen`.
  public init(
    on address: SocketAddress, shards: [Shard], budget: ConnectionBudget = ConnectionBudget(),
    options: SocketConnection.Options = SocketConnection.Options(),
    makeHandler: @escaping MakeHandler
  ) throws(SocketError) {
    precondition(!shards.isEmpty)
    let bound = try BoundSocket(listeningOn: address)
    self.address = bound.address
    descriptor = bound.descriptor
    file = bound.file
    self.shards = shards
    self.budget = budget
    self.options = options
    self.makeHandler = makeHandler
    spare = Self.openSpare()
    source = DispatchSource.makeReadSource(fileDescriptor: bound.descriptor, queue: queue)
    source.setCancelHandler { [self] in closed() }
    source.setEventHandler { [weak self] in self?.acceptSome() }
  }

  /// Starts accepting. Call once.
  public func start() {
    source.activate()
  }

  /// Stops accepting, closes the socket and removes the file of a Unix socket. Accepted connections
  /// continue. Returns when that is done. Every listener must be stopped, even if it was never
  /// started. Idempotent.
  public func stop() async {
    queue.async { [self] in
      guard !isStopped else { return }
      isStopped = true
      if isPaused { source.resume() }
      isPaused = false
      source.cancel()
      source.activate()  // A source that was never activated calls no cancel handler.
    }
    await end.wait()
  }

  /// Leaves new connections in the kernel for a while.
  func rest() {
    guard !isPaused, !isStopped else { return }
    isPaused = true
    source.suspend()
    queue.asyncAfter(deadline: .now() + Self.pause) { [weak self] in
      guard let self, isPaused else { return }
      isPaused = false
      source.resume()
    }
  }

  private func closed() {
    file?.remove()
    _ = close(descriptor)
    if spare >= 0 { _ = close(spare) }
    spare = -1
    end.signal()
  }
}

// MARK: - Accepting

/// A connection on its way to its shard.
private struct Accepted {
  let descriptor: CInt
  let peer: SocketAddress
  let slot: ConnectionSlot
}

extension Listener {
  private func acceptSome() {
    var accepted: [Accepted] = []
    for _ in 0..<Self.acceptsPerTurn {
      var storage = sockaddr_storage()
      var length: socklen_t = 0
      let socket = atrest_accept(descriptor, &storage, &length)
      if socket >= 0 {
        guard let peer = SocketAddress(storage, length: Int(length)),
          let slot = budget.take(for: peer)
        else {
          _ = close(socket)
          continue
        }
        if peer.family != AF_UNIX { _ = atrest_set_no_delay(socket) }
        accepted.append(Accepted(descriptor: socket, peer: peer, slot: slot))
        continue
      }
      let code = errno
      if code == EAGAIN { break }
      if code == EMFILE || code == ENFILE {
        guard shedOne() else { break }
      } else if code == ENOBUFS || code == ENOMEM {
        rest()
        break
      }
      // Other errors (ECONNABORTED, EINTR, EPROTO, network errors) concern one connection only.
    }
    distribute(accepted)
  }

  private func distribute(_ accepted: [Accepted]) {
    guard !accepted.isEmpty else { return }
    var batches = [[Accepted]](repeating: [], count: shards.count)
    for socket in accepted {
      batches[nextShard].append(socket)
      nextShard = (nextShard + 1) % shards.count
    }
    for (shard, batch) in zip(shards, batches) where !batch.isEmpty {
      // Captures only constants: the connection must not keep the listener alive.
      let (options, makeHandler) = (options, makeHandler)
      shard.async {
        for socket in batch {
          guard !shard.isStopped, !socket.slot.isEvicted,
            let handler = makeHandler(shard, socket.peer)
          else {
            _ = close(socket.descriptor)
            socket.slot.release()
            continue
          }
          SocketConnection.adopt(
            socket.descriptor, peer: socket.peer, on: shard, options: options, handler: handler,
            slot: socket.slot)
        }
      }
    }
  }

  /// Accepts one connection with the spare descriptor and closes it, so that the peer learns at
  /// once. False if even that fails and accepting must pause.
  private func shedOne() -> Bool {
    guard spare >= 0 else {
      spare = Self.openSpare()
      if spare < 0 { rest() }
      return spare >= 0
    }
    _ = close(spare)
    var storage = sockaddr_storage()
    var length: socklen_t = 0
    let socket = atrest_accept(descriptor, &storage, &length)
    if socket >= 0 { _ = close(socket) }
    spare = Self.openSpare()
    // Another thread may have taken the descriptor. Pause until one is free.
    guard socket >= 0, spare >= 0 else {
      rest()
      return false
    }
    return true
  }

  private static func openSpare() -> CInt {
    open("/dev/null", O_RDONLY | O_CLOEXEC)
  }
}
