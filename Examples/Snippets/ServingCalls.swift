// SPDX-License-Identifier: Apache-2.0
// The code of the article "Serving your own calls": Scripts/check-snippets compares them.

import AtrestHTTP2
import AtrestRPC
import AtrestSockets
import AtrestTLS
import Dispatch

/// Servers and channels of gRPC calls that are not Atrest's.
enum ServingCalls {
  static func callAndServe() async throws {
    // snippet: serve
    var router = RPCRouter()
    router.addService("example.Greeter") { methods in
      methods.unary("Greet", maxMessageBytes: 1024) { _, request in
        .reply(Array("Hello, ".utf8) + request)
      }
    }
    let server = try GRPCServer(router: router)
    let address = try server.listen(on: .ipv4(octets: [127, 0, 0, 1], port: 0))
    // snippet: end

    // snippet: call
    let channel = try GRPCChannel(to: .address(address))
    let reply = try await channel.unary(
      "/example.Greeter/Greet", Array("Vienna".utf8), timeout: .seconds(5))
    // snippet: end
    precondition(reply == Array("Hello, Vienna".utf8))

    // snippet: leave
    await channel.close()
    await server.drain(grace: .seconds(10))
    // snippet: end
  }

  static func authorize() async throws {
    let names = ["Bearer 4711": "ada"]
    // snippet: authorize
    let storage = DispatchQueue(label: "example.storage")
    var router = RPCRouter()
    router.addService(
      "example.Notes",
      authorize: { head -> Authorization<String> in
        guard let name = names[head.metadata.text("authorization") ?? ""] else {
          return .refused(Status(.unauthenticated, "The token is unknown."))
        }
        return .granted(name)
      },
      methods: { methods in
        methods.unary("Add") { call, note in
          let (name, responder) = (call.principal, call.responder())
          storage.async {
            // The disk may be slow here: no connection waits for this queue.
            responder.reply(Array("\(name): ".utf8) + note)
          }
          return .later
        }
        methods.serverStreaming("Count") { _, request, writer in
          Task {
            for number in 1...(request.first ?? 1) {
              guard await writer.sendWhenReady([number]) == .queued else { return }
            }
            writer.finish()
          }
        }
      })
    // snippet: end
    let server = try GRPCServer(router: router)
    let address = try server.listen(on: .ipv4(octets: [127, 0, 0, 1], port: 0))
    let channel = try GRPCChannel(to: .address(address))
    // snippet: stream
    var metadata = Metadata()
    metadata.add("authorization", "Bearer 4711")
    var numbers: [UInt8] = []
    for try await message in channel.serverStream("/example.Notes/Count", [3], metadata: metadata) {
      numbers += message
    }
    // snippet: end
    precondition(numbers == [1, 2, 3])
    let note = try await channel.unary("/example.Notes/Add", [33], metadata: metadata)
    precondition(note == Array("ada: !".utf8))
    await channel.close()
    await server.drain()
  }

  static func encrypt() async throws {
    var router = RPCRouter()
    router.addService("example.Greeter") { methods in
      methods.unary("Greet") { _, request in .reply(request) }
    }
    let server = try GRPCServer(router: router)
    // snippet: tls
    let identity = try ServerIdentity.generate()
    let address = try server.listen(
      on: .ipv4(octets: [127, 0, 0, 1], port: 0), tls: TLSContextBox(identity))

    var configuration = GRPCChannel.Configuration()
    configuration.tls = try ClientTLS(.pinned(identity.fingerprint))
    let channel = try GRPCChannel(to: .address(address), configuration: configuration)
    // snippet: end
    let reply = try await channel.unary("/example.Greeter/Greet", [7])
    precondition(reply == [7])
    await channel.close()
    await server.drain()
  }
}
