// SPDX-License-Identifier: Apache-2.0
// Connects to a server without blocking.

import AtrestHTTP2
import CAtrestEpoll
import Glibc

extension SocketConnection {
  /// Begins to connect. The handler receives `opened`, or `closed` with `.failed(SocketError)`,
  /// after this returns: at the end of this turn or later. Only on the shard.
  ///
  /// - Parameter timeout: Maximum time until the peer accepts.
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
      connection.watch(ATREST_EPOLL_OUT)  // Both become writable once connected.
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
