// SPDX-License-Identifier: Apache-2.0
// Accepts connections and distributes them over shards.

import AtrestHTTP2
import CAtrestEpoll
import Dispatch
import Glibc

/// A listening socket. Accepts on a private queue and assigns connections to the shards
/// round-robin.
public final class Listener: @unchecked Sendable {
  // Sendable: the mutable members are touched only on `queue`.

  /// Creates the handler of an accepted connection, on its shard. Nil refuses the connection.
  public typealias MakeHandler =
    @Sendable (Shard, _ peer: SocketAddress) ->
    (any ByteStreamHandler)?

  /// Connections accepted per turn of the queue.
  static let acceptsPerTurn = 64
  /// How long accepting pauses when no descriptor is available.
  static let pause = DispatchTimeInterval.milliseconds(100)

  /// The listening address, with the assigned port if 0 was requested.
  public let address: SocketAddress
  let descriptor: CInt
  let shards: [Shard]
  let budget: ConnectionBudget
  let options: SocketConnection.Options
  let makeHandler: MakeHandler
  let queue = DispatchQueue(label: "atrest.net.listener")
  let source: any DispatchSourceRead
  private let file: UnixSocketFile?

  /// A reserve descriptor. When descriptors run out, it serves to accept and close a connection
  /// that epoll would otherwise keep reporting. -1 while in use.
  var spare: CInt
  var nextShard = 0
  private var isPaused = false
  private var isStopped = false
  private let end = OneShotEvent()

  /// Binds and listens. Connections wait in the kernel until `start`.
  ///
  /// A Unix socket's file gets mode 0600. A file left by a dead process is replaced; one with a
  /// live listener is not.
  /// - Parameters:
  ///   - address: Port 0 requests a free port.
  ///   - shards: At least one.
  ///   - budget: Connection limits; share one among the listeners of a process.
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

  /// Begins to accept. Call once.
  public func start() {
    source.activate()
  }

  /// Stops accepting, closes the socket and removes a Unix socket's file. Accepted connections
  /// continue. Returns when done. Every listener must be stopped, started or not. Idempotent.
  public func stop() async {
    queue.async { [self] in
      guard !isStopped else { return }
      isStopped = true
      if isPaused { source.resume() }
      isPaused = false
      source.cancel()
      // No effect if started. A source that was never activated runs no cancel handler.
      source.activate()
    }
    await end.wait()
  }

  /// Leaves new connections in the kernel for `pause`.
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

/// A connection to be handed to its shard.
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
      // Other errors (ECONNABORTED, EINTR, EPROTO, network errors) concern only that connection.
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

  /// Accepts one waiting connection with the spare descriptor and closes it, so the peer learns at
  /// once. False if even that fails; accepting then pauses.
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
    // Another thread may have taken the descriptor: pause until one is free.
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
