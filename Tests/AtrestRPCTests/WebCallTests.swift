// SPDX-License-Identifier: Apache-2.0
// Calls of pages: what their handlers see, and what no page can call.

import AtrestHTTP2
import AtrestRPC
import AtrestSockets
import Testing

@Suite("A call of a page, through the router", .timeLimit(.minutes(20)))
struct WebCallTests {
  private let server: GRPCServer

  init() throws {
    var router = RPCRouter()
    router.addService("t.Pages") { methods in
      methods.unary("Form") { call, _ in .reply([call.head.request.format.isWeb ? 1 : 0]) }
      methods.serverStreaming("Count") { _, _, writer in
        _ = writer.send([1])
        writer.finish()
      }
      methods.clientStreaming("Sum") { _, responder in
        { _ in responder.reply([]) }
      }
      methods.bidirectional("Talk") { _, writer in
        { _ in writer.finish() }
      }
    }
    server = try GRPCServer(router: router)
  }

  /// What a connection answers to one call with one empty message.
  private func answer(_ path: String, _ contentType: String) async -> [UInt8] {
    let shard = server.shards[0]
    let server = server
    let answer: [UInt8] = await withCheckedContinuation { done in
      shard.async {
        let handler = server.connection(from: .ipv4(octets: [127, 0, 0, 1], port: 1))
        handler.opened(by: Wire(), at: shard.now)
        request(path, contentType).withUnsafeBytes { handler.receive($0, at: shard.now) }
        // What a handler sends by a writer arrives in a later turn.
        let bound = ShardBound(handler, to: shard)
        shard.async {
          var output: [UInt8] = []
          bound.value.appendOutput(to: &output)
          bound.value.closed(.closedHere, at: shard.now)
          done.resume(returning: output)
        }
      }
    }
    return answer
  }

  @Test("a unary method is served, and its handler can see the form")
  func unary() async {
    let web = await answer("/t.Pages/Form", "application/grpc-web+proto")
    #expect(web.has([0, 0, 0, 0, 1, 1, 0x80]), "\(web)")
    let grpc = await answer("/t.Pages/Form", "application/grpc")
    #expect(grpc.has([0, 0, 0, 0, 1, 0]) && !grpc.has([0, 0, 0, 0, 1, 0, 0x80]), "\(grpc)")
    #expect(server.statistics.callsByCode == [.ok: 2])
    await server.drain(grace: .zero)
  }

  @Test("a server-streaming method is served")
  func stream() async {
    let web = await answer("/t.Pages/Count", "application/grpc-web")
    #expect(web.has([0, 0, 0, 0, 1, 1, 0x80]), "\(web)")
    #expect(server.statistics.callsByCode == [.ok: 1])
    await server.drain(grace: .zero)
  }

  @Test("a method that takes a stream is unimplemented for pages", arguments: ["Sum", "Talk"])
  func streams(method: String) async {
    _ = await answer("/t.Pages/\(method)", "application/grpc-web")
    #expect(server.statistics.callsByCode == [.unimplemented: 1])
    _ = await answer("/t.Pages/\(method)", "application/grpc")
    #expect(server.statistics.callsByCode == [.unimplemented: 1, .ok: 1])
    await server.drain(grace: .zero)
  }
}

/// The owner of a connection without a socket.
private final class Wire: ByteStreamOwner {
  let peer = SocketAddress.ipv4(octets: [127, 0, 0, 1], port: 1)
  func needsFlush() {}
  func close() {}
}

/// A client's bytes, with literal header fields.
private func request(_ path: String, _ contentType: String) -> [UInt8] {
  func frame(_ type: UInt8, _ flags: UInt8, _ stream: UInt8, _ payload: [UInt8]) -> [UInt8] {
    [0, 0, UInt8(payload.count), type, flags, 0, 0, 0, stream] + payload
  }
  let fields = [
    (":method", "POST"), (":scheme", "https"), (":path", path), (":authority", "localhost"),
    ("content-type", contentType),
  ]
  let block = fields.flatMap { name, value in
    [0, UInt8(name.utf8.count)] + name.utf8 + [UInt8(value.utf8.count)] + value.utf8
  }
  return Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + frame(4, 0, 0, [])
    + frame(1, 4, 1, block) + frame(0, 1, 1, [0, 0, 0, 0, 0])
}

extension [UInt8] {
  fileprivate func has(_ part: [UInt8]) -> Bool {
    indices.contains { self[$0...].starts(with: part) }
  }
}
