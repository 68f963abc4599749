// SPDX-License-Identifier: Apache-2.0
// Opens a connection without blocking.

import AtrestHTTP2
import CAtrestEpoll
import Glibc

extension SocketConnection {
  /// Starts to connect. The handler receives `opened`, or `closed` with `.failed(SocketError)`, in
  /// a later turn or at the end of this one, but never before this method returns. On the shard
  /// only.
  ///
  /// - Parameter timeout: How long the peer may take to accept.
  @discardableResult
  public static func connect(
    to address: SocketAddress, on shard: Shard, timeout: Duration, options: Options = Options(),
    handler: any ByteStreamHandler
  ) -> SocketConnection {
    shard.preconditionOnShard()
    let descriptor = atrest_socket(address.family)
    let noSocket = errno
    let connection = SocketConnection(
      descriptor: descriptor, peer: address, shard: shard,
      state: .connecting(until: shard.now.advanced(by: timeout)), options: options,
      handler: handler, slot: nil)
    guard descriptor >= 0 else {
      connection.fail(noSocket)
      return connection
    }
    let result = address.withSockaddr { pointer, length in
      Glibc.connect(descriptor, pointer, length) == 0 ? 0 : errno
    }
    switch result {
    case 0?, EINPROGRESS?:
      connection.watch(ATREST_EPOLL_OUT)  // Both kinds of socket are writable once connected.
    case let code?:
      connection.fail(code)
    case nil:
      connection.fail(EINVAL)
    }
    shard.touch(connection)
    return connection
  }

  func finishConnecting() {
    let code = atrest_socket_error(descriptor)
    guard code == 0 else { return fail(code) }
    if peer.family != AF_UNIX { _ = atrest_set_no_delay(descriptor) }
    state = .open
    handler?.opened(by: self, at: shard.now)
    shard.touch(self)
  }

  private func fail(_ code: CInt) {
    request(.failed(SocketError(.connect, errno: code, address: peer.description)))
  }
}
