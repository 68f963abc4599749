// SPDX-License-Identifier: Apache-2.0
// grpc.testing.TestService, with which implementations of gRPC are tested against each other.

import AtrestHTTP2
import AtrestRPC
import AtrestSockets
import Synchronization

/// The service, as grpc's interop-test-descriptions.md wants it.
enum TestService {
  static let name = "grpc.testing.TestService"
  static let initialName = "x-grpc-test-echo-initial"
  static let trailingName = "x-grpc-test-echo-trailing-bin"
  /// The largest response that is made.
  private static let limitBytes = 4 * 1024 * 1024

  /// What `authorize` keeps of a call's metadata: what is to be sent back.
  struct Echo: Sendable {
    var initial = Metadata()
    var trailing = Metadata()

    init(_ metadata: Metadata) {
      if let text = metadata.text(TestService.initialName) {
        _ = initial.add(TestService.initialName, text)
      }
      if let bytes = metadata.binary(TestService.trailingName) {
        _ = trailing.add(TestService.trailingName, binary: bytes)
      }
    }

    /// The status with the trailing metadata.
    func status(_ code: StatusCode = .ok, _ message: String = "") -> Status {
      Status(code, message, metadata: trailing)
    }
  }

  static func router() -> RPCRouter {
    var router = RPCRouter()
    let authorize: @Sendable (CallHead) -> Authorization<Echo> = { .admitted(Echo($0.metadata)) }
    router.addService(name, authorize: authorize) { methods in
      methods.unary("EmptyCall") { _, _ in .reply([]) }
      methods.serverStreaming("UnaryCall") { call, bytes, writer in
        // A stream of one message: its status carries trailing metadata.
        call.setInitialMetadata(call.principal.initial)
        let request = try Fields(bytes)
        try check(call, expects: request.flag(8))
        if let status = try refusal(request, call.principal) { return writer.finish(status) }
        let compression = try request.flag(6).map { $0 ? MessageCompression.always : .never }
        call.setCompression(compression ?? .worthwhile)
        _ = writer.send(Encoded.payload(size: try size(request.number(2))))
        writer.finish(call.principal.status())
      }
      methods.serverStreaming("StreamingOutputCall") { call, bytes, writer in
        call.setInitialMetadata(call.principal.initial)
        let request = try Fields(bytes)
        let answers = try parts(of: request)
        let end = try refusal(request, call.principal) ?? call.principal.status()
        Task {
          await send(answers, to: writer)
          writer.finish(end)
        }
      }
      methods.clientStreaming("StreamingInputCall") { call, responder in
        let total = Mutex(0)
        return { event in
          switch event {
          case .message(let bytes):
            let request = try Fields(bytes)
            try check(call, expects: request.flag(2))
            let count = try request.message(1)?.bytes[2]?.last?.count ?? 0
            total.withLock { $0 += count }
          case .end: responder.reply(Encoded.number(total.withLock { $0 }))
          }
        }
      }
      methods.bidirectional("FullDuplexCall") { call, writer in
        call.setInitialMetadata(call.principal.initial)
        let (messages, receiver) = RequestMessages.make(for: call)
        let echo = call.principal
        Task {
          do {
            for try await bytes in messages {
              let request = try Fields(bytes)
              if let status = try refusal(request, echo) { return writer.finish(status) }
              await send(try parts(of: request), to: writer)
            }
            writer.finish(echo.status())
          } catch {
            writer.finish((error as? Status) ?? Status(.invalidArgument, "This is no message."))
          }
        }
        return receiver
      }
    }
    return router
  }

  /// One message of a response.
  private struct Part: Sendable {
    let size: Int
    let pause: Duration
    let compression: MessageCompression
  }

  private static func parts(of request: Fields) throws -> [Part] {
    try (request.bytes[2] ?? []).map { bytes in
      let fields = try Fields(bytes)
      return Part(
        size: try size(fields.number(1)), pause: .microseconds(max(0, fields.number(2))),
        compression: try fields.flag(3).map { $0 ? .always : .never } ?? .worthwhile)
    }
  }

  private static func send(_ parts: [Part], to writer: StreamWriter) async {
    for part in parts {
      if part.pause > .zero { try? await Task.sleep(for: part.pause) }
      await withCheckedContinuation { ready in writer.whenReady { ready.resume() } }
      _ = writer.send(Encoded.payload(size: part.size), compression: part.compression)
    }
  }

  /// Refuses a message that is compressed and should not be, or the reverse.
  private static func check(_ call: ServerCall<Echo>, expects isCompressed: Bool?) throws {
    guard let isCompressed, isCompressed != call.isMessageCompressed else { return }
    throw Status(.invalidArgument, "The message is compressed, or not, against its own word.")
  }

  private static func size(_ number: Int) throws -> Int {
    guard (0...limitBytes).contains(number) else {
      throw Status(.invalidArgument, "A response has at most \(limitBytes) bytes.")
    }
    return number
  }

  /// The status that a request asks for, unless that is OK.
  private static func refusal(_ request: Fields, _ echo: Echo) throws -> Status? {
    guard let wanted = try request.message(7), wanted.number(1) != 0 else { return nil }
    let words = wanted.bytes[2]?.last.map { String(decoding: $0, as: UTF8.self) } ?? ""
    return echo.status(StatusCode(rawValue: wanted.number(1)) ?? .unknown, words)
  }
}
