// SPDX-License-Identifier: Apache-2.0
// A small gRPC service over TLS on loopback, with channels to call it.

import AtrestHTTP2
import AtrestRPC
import AtrestSockets
import AtrestTestSupport
import Dispatch
import Glibc
import Synchronization
import Testing

@testable import AtrestTLS

/// A server with its own identity. Ended by `stop`.
final class World: Sendable {
  let identity: ServerIdentity
  let box: TLSContextBox
  let server: GRPCServer
  let address: SocketAddress
  /// The writer of each stream that opens.
  let writers = Signal<StreamWriter>()

  /// - Parameter isEncrypted: False serves plaintext.
  init(
    isEncrypted: Bool = true, configure: (inout GRPCServer.Configuration) -> Void = { _ in }
  ) throws {
    identity = try ServerIdentity.generate()
    box = try TLSContextBox(identity)
    var configuration = GRPCServer.Configuration()
    configure(&configuration)
    let writers = writers
    var router = RPCRouter()
    router.addService("test.v1.Echo") { methods in
      methods.unary("Unary") { call, request in
        call.head.isEncrypted == isEncrypted ? .reply(request) : .fail(Status(.internal, "tls"))
      }
      methods.serverStreaming("Open") { _, _, writer in writers.send(writer) }
    }
    server = try GRPCServer(router: router, configuration: configuration)
    address = try server.listen(
      on: try SocketAddress(parsing: "127.0.0.1:0"), tls: isEncrypted ? box : nil)
  }

  /// The trust of a paired device.
  func pinned() throws -> ClientTLS { try ClientTLS(.pinned(box.current.identity.fingerprint)) }

  /// A channel to the server; nil means plaintext.
  func channel(
    _ tls: ClientTLS?, to endpoint: Endpoint? = nil, shard: Shard? = nil
  ) throws -> GRPCChannel {
    var configuration = GRPCChannel.Configuration()
    configuration.tls = tls
    return try GRPCChannel(
      to: endpoint ?? .address(address), configuration: configuration, shard: shard)
  }

  func stop() async { await server.drain(grace: .zero) }
}

extension GRPCChannel {
  func echo(_ request: [UInt8]) async throws(Status) -> [UInt8] {
    try await unary("/test.v1.Echo/Unary", request, timeout: .seconds(120))
  }
}

/// The status with which a call fails.
func failure<Value>(_ body: () async throws(Status) -> Value) async throws -> Status {
  do { _ = try await body() } catch { return error }
  throw Unexpected("the call succeeded")
}

/// Runs blocking code outside Swift's cooperative threads.
func blocking<Value: Sendable>(
  _ body: @escaping @Sendable () throws -> Value
) async throws -> Value {
  try await withCheckedThrowingContinuation { done in
    DispatchQueue(label: "test.blocking").async { done.resume(with: Result(catching: body)) }
  }
}

/// A blocking socket with a timeout, so that a hang fails the test. Its creator closes it.
struct RawSocket: Sendable {
  let descriptor: CInt

  init(to address: SocketAddress) throws {
    guard case .ipv4(_, let port) = address else { throw Unexpected("not IPv4") }
    descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
    var limit = timeval(tv_sec: 60, tv_usec: 0)
    setsockopt(
      descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    var name = sockaddr_in()
    name.sin_family = sa_family_t(AF_INET)
    name.sin_port = port.bigEndian
    name.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    let size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let descriptor = descriptor
    let result = withUnsafePointer(to: &name) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, size) }
    }
    guard result == 0 else { throw Unexpected("connect: errno \(errno)") }
  }

  func send(_ bytes: [UInt8]) {
    _ = Glibc.send(descriptor, bytes, bytes.count, CInt(MSG_NOSIGNAL))
  }

  /// Receives everything until the end of the stream.
  func receiveAll() throws -> [UInt8] {
    var all: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = recv(descriptor, &buffer, buffer.count, 0)
      if count == 0 || (count < 0 && errno == ECONNRESET) { return all }
      guard count > 0 else { throw Unexpected("recv: errno \(errno)") }
      all.append(contentsOf: buffer[..<count])
    }
  }

  func close() { _ = Glibc.close(descriptor) }
}
