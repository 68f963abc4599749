// SPDX-License-Identifier: Apache-2.0
// A TCP proxy in front of the server that fails at a chosen moment.

import AtrestTestSupport
import Foundation
import Glibc
import Synchronization

/// Forwards bytes between TCP clients and the server's Unix socket, until it is told to fail.
///
/// Threads of its own, blocking: what is tested must not share a queue with what tests it.
final class Proxy: Sendable {
  enum Fault: Sendable, Equatable {
    case none
    /// When a client sends COMMIT: closes without forwarding it.
    case cutBeforeCommit
    /// When a client sends COMMIT: forwards it, waits for the server's answer, and closes without
    /// passing that on.
    case cutAfterCommit
    /// Forwards nothing more, and closes nothing.
    case freeze
    /// A server that is far away: passes each answer on a second later.
    case far
  }

  private struct State {
    var fault = Fault.none
    var descriptors: [CInt] = []
    var isStopped = false
  }

  private let listener: CInt
  private let socketPath: String
  private let state = Mutex(State())
  let port: UInt16
  private let login: String

  init(to server: PostgresServer) throws {
    socketPath = server.socketPath
    login = server.login
    listener = socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let (listener, size) = (listener, length)
    let isListening = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, size) == 0 && listen(listener, 16) == 0
          && getsockname(listener, $0, &length) == 0
      }
    }
    guard isListening else { throw Unexpected("listen: errno \(errno)") }
    port = UInt16(bigEndian: address.sin_port)
    Thread.detachNewThread { self.acceptAll() }
  }

  /// The server's address through the proxy. Without encryption, so that it sees the messages.
  var url: String {
    "postgresql://\(login)@127.0.0.1:\(port)/postgres?sslmode=disable&gssencmode=disable"
  }

  func fail(_ fault: Fault) { state.withLock { $0.fault = fault } }

  /// Ends every connection, and takes no more.
  func stop() {
    let descriptors = state.withLock { state in
      state.isStopped = true
      return state.descriptors
    }
    shutdown(listener, CInt(SHUT_RDWR))
    for descriptor in descriptors { shutdown(descriptor, CInt(SHUT_RDWR)) }
  }

  private func acceptAll() {
    while true {
      let client = accept(listener, nil, nil)
      guard client >= 0 else { break }
      guard let server = connectToServer() else {
        close(client)
        continue
      }
      let link = Link(proxy: self, client: client, server: server)
      state.withLock { $0.descriptors += [client, server] }
      Thread.detachNewThread { link.forwardRequests() }
      Thread.detachNewThread { link.forwardAnswers() }
    }
    close(listener)
  }

  private func connectToServer() -> CInt? {
    let descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(socketPath.utf8)) }
    let isConnected = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
      }
    }
    if !isConnected { close(descriptor) }
    return isConnected ? descriptor : nil
  }

  fileprivate var fault: Fault { state.withLock { $0.fault } }

  /// The descriptors are closed with the link, when both of its threads have ended, so that no
  /// number is reused while the other one still reads it.
  private final class Link: Sendable {
    private let proxy: Proxy
    private let client: CInt
    private let server: CInt
    private let isSwallowing = Atomic(false)

    init(proxy: Proxy, client: CInt, server: CInt) {
      self.proxy = proxy
      self.client = client
      self.server = server
    }

    deinit {
      proxy.state.withLock { $0.descriptors.removeAll { $0 == client || $0 == server } }
      close(client)
      close(server)
    }

    func forwardRequests() {
      pump(from: client, to: server) { bytes in
        switch proxy.fault {
        case .none, .far: return .forward
        case .freeze: return .hold
        case .cutBeforeCommit: return bytes.contains(text: "COMMIT") ? .cut : .forward
        case .cutAfterCommit:
          if bytes.contains(text: "COMMIT") { isSwallowing.store(true, ordering: .releasing) }
          return .forward
        }
      }
    }

    func forwardAnswers() {
      pump(from: server, to: client) { bytes in
        if proxy.fault == .freeze { return .hold }
        if proxy.fault == .far { sleep(1) }
        guard isSwallowing.load(ordering: .acquiring) else { return .forward }
        return .cut  // The server has answered: whatever it did is done.
      }
    }

    private enum Verdict { case forward, hold, cut }

    private func pump(from: CInt, to: CInt, judge: ([UInt8]) -> Verdict) {
      var buffer = [UInt8](repeating: 0, count: 65_536)
      reading: while true {
        let count = recv(from, &buffer, buffer.count, 0)
        guard count > 0 else { break }
        let bytes = Array(buffer[..<count])
        switch judge(bytes) {
        case .hold: continue
        case .cut: break reading
        case .forward:
          var sent = 0
          while sent < count {
            let more = bytes.withUnsafeBytes {
              send(to, $0.baseAddress.map { $0 + sent }, count - sent, CInt(MSG_NOSIGNAL))
            }
            guard more > 0 else { break reading }
            sent += more
          }
        }
      }
      shutdown(from, CInt(SHUT_RDWR))
      shutdown(to, CInt(SHUT_RDWR))
    }
  }
}

extension [UInt8] {
  fileprivate func contains(text: String) -> Bool {
    let word = Array(text.utf8)
    return count >= word.count
      && (0...count - word.count).contains { self[$0..<$0 + word.count].elementsEqual(word) }
  }
}
