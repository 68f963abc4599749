// SPDX-License-Identifier: Apache-2.0
// Moves bytes between a socket and its handler.

import AtrestHTTP2
import Glibc

extension SocketConnection {
  /// Reads at most one buffer; epoll reports again if more is available.
  func read(peerIsGone: Bool) {
    guard let handler else { return }
    guard handler.acceptsInput else {
      // Errors cannot be masked out of epoll: keeping the socket open would spin.
      return peerIsGone ? request(.reset) : shard.touch(self)
    }
    let buffer = shard.sockets.readBuffer
    let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
    if count > 0 {
      handler.receive(UnsafeRawBufferPointer(rebasing: buffer[..<count]), at: shard.now)
      shard.touch(self)
    } else if count == 0 {
      inputHasEnded = true
      handler.endOfInput(at: shard.now)
      shard.touch(self)
    } else if errno != EAGAIN && errno != EINTR {
      request(failure(errno))
    }
  }

  /// Sends pending bytes, then the handler's output, until the kernel is full or the handler is
  /// empty.
  func write(at now: Instant) {
    guard sendPending(at: now) else { return }
    for _ in 0..<Self.writesPerTurn {
      var buffer: [UInt8] = []
      swap(&buffer, &shard.sockets.writeBuffer)
      defer {
        // One large response must not pin its memory for the shard's lifetime.
        if buffer.capacity <= 1 << 20 {
          buffer.removeAll(keepingCapacity: true)
          swap(&buffer, &shard.sockets.writeBuffer)
        }
      }
      handler?.appendOutput(to: &buffer)
      guard !buffer.isEmpty, closeRequest == nil else { return }
      let sent = send(buffer[...])
      guard sent >= 0 else { return }
      if sent < buffer.count {
        pending = Array(buffer[sent...])
        sentOfPending = 0
        noteProgress(at: now)
        return
      }
    }
    shard.touchInNextTurn(self)
  }

  /// False while bytes are still pending, or the connection failed.
  private func sendPending(at now: Instant) -> Bool {
    guard !pending.isEmpty else { return true }
    let sent = send(pending[sentOfPending...])
    guard sent > 0 else { return false }
    sentOfPending += sent
    if sentOfPending == pending.count {
      pending = []
      sentOfPending = 0
    }
    noteProgress(at: now)
    return pending.isEmpty
  }

  /// The number of bytes the kernel took; -1 if the connection failed.
  private func send(_ bytes: ArraySlice<UInt8>) -> Int {
    while true {
      // MSG_NOSIGNAL: a disconnected peer must not end the process with SIGPIPE.
      let sent = bytes.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
      }
      if sent >= 0 { return sent }
      switch errno {
      case EINTR: continue
      case EAGAIN: return 0
      default:
        request(failure(errno))
        return -1
      }
    }
  }

  private func failure(_ code: CInt) -> CloseReason {
    switch code {
    case ECONNRESET, EPIPE: .reset
    default: .failed(SocketError(.transfer, errno: code, address: peer.description))
    }
  }
}
