// SPDX-License-Identifier: Apache-2.0
// The TLS layer between socket and protocol: event order, limits, flow control, shutdown.

import AtrestHTTP2
import AtrestSockets
import AtrestTestSupport
import CAtrestOpenSSL
import Testing

@testable import AtrestRPC
@testable import AtrestTLS

@Suite(.timeLimit(.minutes(20))) struct HandlerTests {
  /// A server-side handler and a client for it, without a socket.
  private final class Bench {
    let inner: QuietHandler
    let handler: TLSHandler
    let client: SessionEnd
    let owner = NoSocket()
    var now = Instant(nanoseconds: 1_000_000_000)

    init(_ inner: QuietHandler = QuietHandler()) throws {
      self.inner = inner
      let identity = try ServerIdentity.generate()
      let server = try ServerTLS(identity)
      handler = TLSHandler(inner, scratch: TLSScratch(), handshakeTimeout: .seconds(5)) {
        () throws(TLSError) in try TLSSession(server: server)
      }
      client = SessionEnd(
        try TLSSession(client: ClientTLS(.pinned(identity.fingerprint))))
      handler.opened(by: owner, at: now)
    }

    /// Delivers the client's bytes in pieces, as a socket does.
    func deliver(_ bytes: [UInt8]) {
      var rest = bytes[...]
      while !rest.isEmpty {
        let part = Array(rest.prefix(65_536))
        rest = rest.dropFirst(part.count)
        part.withUnsafeBytes { handler.receive($0, at: now) }
      }
    }

    /// Collects the handler's output once.
    func collect() -> [UInt8] {
      var bytes: [UInt8] = []
      handler.appendOutput(to: &bytes)
      return bytes
    }

    func shakeHands() {
      for _ in 0..<3 {
        deliver(client.output())
        client.take(collect()[...])
      }
    }
  }

  @Test("the protocol opens when the handshake is complete, and not before")
  func order() throws {
    let bench = try Bench()
    #expect(bench.inner.owner != nil && !bench.inner.isOpened)
    #expect(bench.handler.nextDeadline == bench.now.advanced(by: .seconds(5)))
    bench.inner.words = [1]
    #expect(bench.collect().isEmpty)
    bench.shakeHands()
    #expect(bench.inner.isOpened && bench.handler.nextDeadline == nil)
    #expect(bench.client.received == [1])
    bench.deliver(try bench.client.encrypt([1, 2, 3]))
    #expect(bench.inner.received == 3)
    #expect(!bench.handler.isFinished)
  }

  @Test("a handshake that stalls is given up at its deadline")
  func stall() throws {
    let bench = try Bench()
    bench.deliver([22, 3, 1])
    bench.handler.deadlineReached(at: bench.now.advanced(by: .seconds(4)))
    #expect(!bench.owner.isClosed)
    bench.handler.deadlineReached(at: bench.now.advanced(by: .seconds(5)))
    #expect(bench.owner.isClosed && bench.inner.failure == .handshakeTimeout)
    bench.handler.closed(.closedHere, at: bench.now)
    #expect(bench.inner.closeReason == .closedHere && bench.inner.failure == .handshakeTimeout)
  }

  @Test("a protocol that takes no more bytes stops the reading of the socket")
  func pause() throws {
    let bench = try Bench()
    bench.inner.wantsInput = false
    #expect(bench.handler.acceptsInput, "it has no say in the handshake")
    bench.shakeHands()
    #expect(!bench.handler.acceptsInput)
    bench.inner.wantsInput = true
    #expect(bench.handler.acceptsInput)
  }

  @Test("a peer that asks for answers and does not read them is cut off")
  func answersPileUp() throws {
    let bench = try Bench()
    bench.shakeHands()
    var delivered = 0
    while bench.inner.failure == nil, delivered < 1 << 20 {
      bench.client.session.askForNewKeys()
      let bytes = bench.client.output()
      delivered += bytes.count
      bench.deliver(bytes)
    }
    #expect(delivered < 4 * 1024)
  }

  @Test("what is asked of the protocol at once is what it gives at once")
  func outputIsBounded() throws {
    let bench = try Bench()
    bench.shakeHands()
    bench.inner.words = [UInt8](repeating: 7, count: 256 * 1024)
    let bytes = bench.collect()
    #expect(bytes.count < 256 * 1024 + 17 * 30)
    #expect(bench.collect().isEmpty, "nothing is kept back")
    bench.client.take(bytes[...])
    #expect(bench.client.received.count == 256 * 1024)
  }

  @Test("a protocol that is finished says goodbye")
  func goodbye() throws {
    let bench = try Bench()
    bench.shakeHands()
    (bench.inner.words, bench.inner.isDone) = ([5], true)
    #expect(!bench.handler.isFinished, "the last words and the goodbye are still to be sent")
    bench.client.take(bench.collect()[...])
    #expect(bench.handler.isFinished)
    #expect(bench.client.received == [5] && bench.client.endOfInputCount == 1)
  }

  @Test("the peer's goodbye is the end of input, once")
  func peersGoodbye() throws {
    let bench = try Bench()
    bench.shakeHands()
    bench.client.session.close()
    bench.deliver(bench.client.output())
    bench.handler.endOfInput(at: bench.now)
    #expect(bench.inner.inputEnds == 1 && bench.inner.failure == nil)
  }

  @Test("a cut is an end of input, and is told apart")
  func cut() throws {
    let bench = try Bench()
    bench.shakeHands()
    bench.handler.endOfInput(at: bench.now)
    #expect(bench.inner.inputEnds == 1 && bench.inner.failure == .truncated)
    let other = try Bench()
    other.handler.endOfInput(at: other.now)
    #expect(other.inner.inputEnds == 0 && other.inner.failure == .handshakeCut)
    #expect(other.handler.isFinished)
    let lost = try Bench()
    lost.handler.closed(.reset, at: lost.now)
    #expect(lost.inner.failure == .handshakeCut && lost.inner.closeReason == .reset)
  }

  @Test("the reason of a refusal is sent before the connection is closed")
  func alert() throws {
    let bench = try Bench()
    let client = try ForeignEnd(protocols: nil)
    bench.deliver(client.output())
    #expect(bench.inner.failure == .noHTTP2)
    #expect(!bench.handler.isFinished)
    client.take(bench.collect()[...])
    #expect(client.reason == SSL_R_TLSV1_ALERT_NO_APPLICATION_PROTOCOL)
    #expect(bench.handler.isFinished && !bench.inner.isOpened)
    bench.handler.closed(.finished, at: bench.now)
    #expect(bench.inner.failure == .noHTTP2)
  }

  @Test("random bytes never trap a handler, in any state")
  func garbage() throws {
    try checkLaw(cases: 300) { random in
      let bench = try Bench()
      if random.oneIn(2) { bench.shakeHands() }
      for _ in 0..<6 {
        switch Int.random(in: 0..<6, using: &random) {
        case 0: bench.handler.endOfInput(at: bench.now)
        case 1: _ = bench.collect()
        case 2: bench.inner.isDone.toggle()
        case 3: bench.handler.deadlineReached(at: bench.now.advanced(by: .seconds(9)))
        default:
          bench.deliver(
            (0..<Int.random(in: 1...90, using: &random)).map { _ in
              random.oneIn(3) ? 22 : UInt8(truncatingIfNeeded: random.next())
            })
        }
        _ = (bench.handler.isFinished, bench.handler.acceptsInput, bench.handler.nextDeadline)
      }
      bench.handler.closed(.reset, at: bench.now)
      return bench.inner.received == 0 && bench.inner.closeReason == .reset
    }
  }
}
