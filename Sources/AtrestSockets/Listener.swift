// SPDX-License-Identifier: Apache-2.0
// Accepts connections and spreads them over shards.

import AtrestHTTP2
import CAtrestEpoll
import Dispatch
import Glibc

/// A listening socket. Accepting happens on a queue of its own; each connection then lives on one
/// of the shards, in turn.
public final class Listener: @unchecked Sendable {
  // Sendable because the mutable members are touched only on `queue`.

  /// Makes the handler of an accepted connection, on the shard it will live on; nil refuses it.
  public typealias MakeHandler =
    @Sendable (Shard, _ peer: SocketAddress) ->
    (any ByteStreamHandler)?

  /// Connections accepted before other users of the queue get a chance.
  static let acceptsPerTurn = 64
  /// How long accepting rests when the process has no descriptor left to accept with.
  static let pause = DispatchTimeInterval.milliseconds(100)

  /// The address listened on, with the port the system chose if 0 was asked for.
  public let address: SocketAddress
  let descriptor: CInt
  let shards: [Shard]
  let budget: ConnectionBudget
  let options: SocketConnection.Options
  let makeHandler: MakeHandler
  let queue = DispatchQueue(label: "atrest.net.listener")
  let source: any DispatchSourceRead
  private let file: UnixSocketFile?

  /// A descriptor kept so that, when there are no more, a connection can still be taken and closed
  /// instead of being reported for ever; -1 while it is lent.
  var spare: CInt
  var nextShard = 0
  private var isPaused = false
  private var isStopped = false
  private let end = OneShotEvent()

  /// Binds and listens; connections wait in the kernel until `start`.
  ///
  /// A Unix socket's file gets mode 0600. A file left by a dead process is replaced; one that
  /// somebody answers on is not.
  /// - Parameters:
  ///   - address: Port 0 asks the system for a free one.
  ///   - shards: At least one.
  ///   - budget: Caps on connections; share one among the listeners of a process.
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

  /// Begins to accept. Once.
  public func start() {
    source.activate()
  }

  /// Stops accepting, closes the socket and removes the file of a Unix socket; accepted connections
  /// go on. Returns when that is done. Every listener must be stopped, started or not. Idempotent.
  public func stop() async {
    queue.async { [self] in
      guard !isStopped else { return }
      isStopped = true
      if isPaused { source.resume() }
      isPaused = false
      source.cancel()
      source.activate()  // No effect if started; a source that never was runs no cancel handler.
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
      // Anything else (ECONNABORTED, EINTR, EPROTO, network errors) is about that one connection.
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
      // Only constants travel: the connection must not keep the listener alive.
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

  /// Takes one waiting connection with the spare descriptor and closes it, so that the peer hears
  /// at once; false when even that is impossible, and accepting rests.
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
    // Another thread may have taken the slot: rest until one is free.
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
