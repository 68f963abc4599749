// SPDX-License-Identifier: Apache-2.0
// Specifies how a client handles all kinds of responses, also from something that is no gRPC
// server.

import Testing

@testable import AtrestHTTP2

@Suite("A client, against raw frames", .timeLimit(.minutes(20)))
struct ClientTests {
  @Test("a request on the wire")
  func request() {
    let peer = RawServer(compression: .gzip)
    var metadata = Metadata()
    metadata.add("authorization", "Bearer t")
    metadata.add("x-bin", binary: [1, 2])
    let call = peer.client.start(
      path: "/a.B/C", metadata: metadata, timeout: .milliseconds(1500), at: peer.now)
    if let call { _ = peer.client.send([9], on: call, end: true) }
    peer.flush()
    let block = peer.frames(of: 1).first.map(peer.reader.fields) ?? [:]
    #expect(
      block == [
        ":method": "POST", ":scheme": "http", ":path": "/a.B/C", ":authority": "localhost",
        "te": "trailers", "content-type": "application/grpc", "user-agent": "atrest",
        "grpc-encoding": "gzip", "grpc-accept-encoding": "identity, deflate, gzip",
        "grpc-timeout": "1500000u", "authorization": "Bearer t", "x-bin": "AQI",
      ])
    #expect(peer.frames(of: 0).map(\.payload) == [lpm([9])])
    #expect(peer.frames(of: 0).last?.isEnd == true)
  }

  @Test("headers, messages, trailers")
  func success() {
    let peer = RawServer()
    peer.begin()
    peer.send(
      .headers(1, responseFields + [("x-a", "1")]), .data(1, lpm([1]) + lpm([2])),
      .headers(1, [("grpc-status", "0"), ("x-t", "2")], end: true))
    guard case .headers(_, let metadata)? = peer.events.first else {
      Issue.record("headers were expected: \(peer.events)")
      return
    }
    #expect(metadata.text("x-a") == "1")
    #expect(peer.messages == [[1], [2]])
    #expect(peer.statuses.first?.code == .ok)
    #expect(peer.statuses.first?.metadata.text("x-t") == "2")
    #expect(peer.client.openCalls == 0)
  }

  @Test("a connection without calls is left in good order, and its owner starts calls elsewhere")
  func idle() {
    let peer = RawServer()
    peer.begin()
    peer.send(
      .headers(1, responseFields), .headers(1, [("grpc-status", "0")], end: true))
    peer.wait(.seconds(899))
    #expect(peer.client.canStartCall && peer.frames(of: 7).isEmpty)
    peer.wait(.seconds(1))
    guard case .goAway? = peer.events.last else {
      Issue.record("the owner does not hear of it: \(peer.events)")
      return
    }
    #expect(!peer.client.canStartCall && peer.client.isFinished)
    #expect(peer.frames(of: 7).count == 1, "GOAWAY")
  }

  @Test("an answer's -bin fields count as often as they have values")
  func manyValues() {
    let peer = RawServer()
    peer.begin()
    let values = String(repeating: ",", count: 200)
    peer.send(.headers(1, responseFields + [("x-bin", values)]))
    #expect(peer.statuses.map(\.code) == [.resourceExhausted])
  }

  @Test(
    "trailers-only, with every code and some that do not exist",
    arguments: [
      ("0", StatusCode.ok), ("5", .notFound), ("16", .unauthenticated), ("17", .unknown),
      ("-1", .unknown), ("", .unknown), ("9999", .unknown),
    ])
  func trailersOnly(text: String, code: StatusCode) {
    let peer = RawServer()
    peer.begin()
    peer.send(
      .headers(
        1, responseFields + [("grpc-status", text), ("grpc-message", "a%20b%zz%E2%98%BA%")],
        end: true))
    #expect(peer.statuses == [Status(code, "a b%zz☺%")])
  }

  @Test(
    "an HTTP status without a gRPC status is mapped",
    arguments: [
      ("400", StatusCode.internal), ("401", .unauthenticated), ("403", .permissionDenied),
      ("404", .unimplemented), ("429", .unavailable), ("502", .unavailable),
      ("503", .unavailable), ("504", .unavailable), ("500", .unknown), ("302", .unknown),
    ], [true, false])
  func httpStatus(_ mapping: (String, StatusCode), isAlone: Bool) {
    let peer = RawServer()
    peer.begin()
    peer.send(
      .headers(1, [(":status", mapping.0), ("content-type", "text/html")], end: isAlone))
    #expect(peer.statuses.map(\.code) == [mapping.1])
    if !isAlone { #expect(peer.frames(of: 3).map(\.errorCode) == [8]) }
  }

  @Test("a gRPC status under another HTTP status counts")
  func statusUnderHTTP() {
    let peer = RawServer()
    peer.begin()
    peer.send(.headers(1, [(":status", "503"), ("grpc-status", "8")], end: true))
    #expect(peer.statuses.map(\.code) == [.resourceExhausted])
  }

  @Test("HTTP 200 that is not gRPC is not success")
  func notGRPC() {
    let peer = RawServer()
    peer.begin()
    peer.send(.headers(1, [(":status", "200"), ("content-type", "text/html")]))
    #expect(peer.statuses.map(\.code) == [.unknown])
  }

  @Test("interim responses are passed over")
  func interim() {
    let peer = RawServer()
    peer.begin()
    peer.send(
      .headers(1, [(":status", "100")]), .headers(1, responseFields), .data(1, lpm([1])),
      .headers(1, [("grpc-status", "0")], end: true))
    #expect(peer.messages == [[1]])
    #expect(peer.statuses == [.ok])
  }

  @Test("a response cut before its trailers is never success")
  func cut() {
    let start: [Frame] = [.headers(1, responseFields), .data(1, lpm([1]))]
    let ends: [(Frame, StatusCode)] = [
      (.data(1, [], end: true), .internal), (.reset(1, 0), .internal), (.reset(1, 8), .cancelled),
      (.reset(1, 7), .unavailable), (.reset(1, 11), .resourceExhausted),
      (.reset(1, 2), .unavailable), (.reset(1, 12), .permissionDenied),
      (.headers(1, [("x-only", "1")], end: true), .unknown),
    ]
    for (end, code) in ends {
      let peer = RawServer()
      peer.begin()
      peer.send(start[0], start[1], end)
      #expect(peer.messages == [[1]])
      #expect(peer.statuses.map(\.code) == [code])
    }
    let peer = RawServer()
    peer.begin()
    peer.send(start[0], start[1])
    peer.events += Array(peer.client.peerClosed(at: peer.now))
    #expect(peer.statuses.map(\.code) == [.unavailable])
  }

  @Test("OK after half a message is an error; an error stays what it is")
  func halfMessage() {
    for (text, code) in [("0", StatusCode.internal), ("5", .notFound)] {
      let peer = RawServer()
      peer.begin()
      peer.send(
        .headers(1, responseFields), .data(1, [0, 0, 0, 0, 9, 1]),
        .headers(1, [("grpc-status", text)], end: true))
      #expect(peer.statuses.map(\.code) == [code])
    }
  }

  @Test("bad messages end the call: flag, size, compression, encoding")
  func badMessages() {
    let gzip = ("grpc-encoding", "gzip")
    let cases: [([(String, String)], [UInt8], StatusCode)] = [
      ([], [3, 0, 0, 0, 0], .internal), ([], [0, 0xFF, 0, 0, 0], .resourceExhausted),
      ([], lpm([1], flag: 1), .internal), ([gzip], lpm([1], flag: 1), .internal),
      ([("grpc-encoding", "zstd")], [], .internal),
      (
        [gzip],
        lpm(Deflater(.gzip)?.deflate([UInt8](repeating: 0, count: 300_000)) ?? [], flag: 1),
        .resourceExhausted
      ),
    ]
    for (fields, body, code) in cases {
      let peer = RawServer()
      peer.begin()
      peer.send(
        .headers(1, responseFields + fields), .data(1, body),
        .headers(1, [("grpc-status", "0")], end: true))
      #expect(peer.statuses.map(\.code) == [code])
      #expect(peer.messages.isEmpty)
      #expect(peer.client.openCalls == 0)
    }
  }

  @Test("response headers have a limit")
  func headerLimit() {
    let peer = RawServer()
    peer.begin()
    peer.send(.headers(1, responseFields + (0..<70).map { ("x-\($0)", "1") }))
    #expect(peer.statuses.map(\.code) == [.resourceExhausted])
  }

  @Test("the deadline ends the call here and there, whatever the server does")
  func deadline() {
    let peer = RawServer()
    peer.begin(timeout: .seconds(1))
    peer.wait(.milliseconds(999))
    #expect(peer.statuses.isEmpty)
    peer.wait(.milliseconds(1))
    #expect(peer.statuses.map(\.code) == [.deadlineExceeded])
    #expect(peer.frames(of: 3).map(\.errorCode) == [8])
    peer.send(.headers(1, responseFields + [("grpc-status", "0")], end: true))
    #expect(peer.statuses.count == 1)
  }

  @Test("a cancelled call is silent from then on")
  func cancel() {
    let peer = RawServer()
    let call = peer.begin()
    peer.send(.headers(1, responseFields))
    if let call { peer.client.cancel(call) }
    peer.flush()
    #expect(peer.frames(of: 3).map(\.errorCode) == [8])
    peer.send(.data(1, lpm([1])), .headers(1, [("grpc-status", "0")], end: true))
    #expect(peer.messages.isEmpty)
    #expect(peer.statuses.isEmpty)
    #expect(peer.client.openCalls == 0)
    if let call { #expect(peer.client.send([1], on: call) == .gone) }
  }

  @Test("an early answer stops the upload")
  func earlyAnswer() {
    let peer = RawServer()
    let call = peer.begin(end: false)
    peer.send(.headers(1, responseFields + [("grpc-status", "16")], end: true), .reset(1, 0))
    #expect(peer.statuses.map(\.code) == [.unauthenticated])
    if let call { #expect(peer.client.send([1], on: call) == .gone) }
    #expect(peer.client.openCalls == 0)
  }

  @Test("no more calls than the server allows")
  func concurrency() {
    let peer = RawServer(settings: [(3, 2)])
    #expect(peer.begin() != nil)
    #expect(peer.begin() != nil)
    #expect(peer.begin() == nil)
    peer.send(.headers(1, responseFields + [("grpc-status", "0")], end: true))
    #expect(peer.begin() != nil)
  }

  @Test("GOAWAY: what was not processed says so, the rest goes on, nothing starts")
  func goAway() {
    let peer = RawServer()
    peer.begin()
    peer.begin()
    peer.send(.goAway(last: 1, code: 0))
    #expect(peer.statuses.map(\.code) == [.unavailable])
    #expect(peer.events.contains { if case .goAway = $0 { true } else { false } })
    #expect(!peer.client.canStartCall)
    #expect(peer.begin() == nil)
    peer.send(.headers(1, responseFields + [("grpc-status", "0")], end: true))
    #expect(peer.statuses.map(\.code) == [.unavailable, .ok])
    #expect(peer.client.isFinished)
  }

  @Test("pings only while calls are open; no answer, no connection")
  func keepalive() {
    let peer = RawServer()
    peer.wait(.seconds(800))
    #expect(peer.frames(of: 6).isEmpty)
    peer.begin()
    peer.wait(.zero)
    #expect(peer.frames(of: 6).count == 1)
    peer.wait(.seconds(20))
    #expect(peer.statuses.map(\.code) == [.unavailable])
    #expect(peer.client.isFinished)
  }

  @Test("a server that never speaks is given up")
  func handshake() {
    let peer = RawServer(handshake: false)
    peer.begin()
    peer.wait(.seconds(5))
    #expect(peer.statuses.map(\.code) == [.unavailable])
  }

  @Test("a paused call keeps its messages and its end, and the server waits")
  func pausing() {
    let peer = RawServer()
    let call = peer.begin()
    if let call { peer.client.pauseReading(call) }
    peer.send(
      .headers(1, responseFields), .data(1, lpm([1]) + lpm([2])),
      .headers(1, [("grpc-status", "0")], end: true))
    #expect(peer.messages.isEmpty)
    #expect(peer.statuses.isEmpty)
    if let call { peer.events += Array(peer.client.resumeReading(call)) }
    #expect(peer.messages == [[1], [2]])
    #expect(peer.statuses == [.ok])
    #expect(peer.client.openCalls == 0)
  }

  @Test("a paused call does not lose what arrived before the connection did")
  func pausedLoss() {
    let peer = RawServer()
    if let call = peer.begin() { peer.client.pauseReading(call) }
    peer.send(.headers(1, responseFields), .data(1, lpm([1])))
    peer.events += Array(peer.client.peerClosed(at: peer.now))
    #expect(peer.messages == [[1]])
    #expect(peer.statuses.map(\.code) == [.unavailable])
  }

  @Test("an upload waits for the server's window")
  func backpressure() {
    var limits = Limits()
    limits.streamQueueBytes = 5000
    let peer = RawServer(limits: limits, settings: [(4, 100)])
    let call = peer.begin(noise(4000, seed: 1), end: false)
    guard let call else { return }
    #expect(peer.client.send(noise(4000, seed: 1), on: call) == .queueFull)
    #expect(peer.frames(of: 0).map(\.payload.count) == [100])
    peer.send(.window(1, 4000))
    #expect(peer.events.contains { if case .writable = $0 { true } else { false } })
    #expect(peer.client.send([1], on: call, end: true) == .queued)
    peer.flush()
    #expect(peer.frames(of: 0).last?.isEnd == true)
  }

  @Test("leaving: calls finish first")
  func drain() {
    let peer = RawServer()
    peer.begin()
    peer.client.beginDrain(at: peer.now)
    peer.flush()
    #expect(peer.begin() == nil)
    #expect(!peer.client.isFinished)
    peer.send(.headers(1, responseFields + [("grpc-status", "0")], end: true))
    #expect(peer.statuses == [.ok])
    #expect(peer.client.isFinished)
  }

  @Test("both real ends: server drain, client deadline, client cancel")
  func bothEnds() {
    let pair = Pair()
    let call = pair.begin()
    pair.begin(timeout: .seconds(1))
    pair.begin()
    pair.pump()
    #expect(pair.server.openCalls == 3)
    if let call { pair.client.cancel(call) }
    pair.pump()
    #expect(pair.server.openCalls == 2)
    pair.wait(.seconds(1))
    #expect(pair.server.openCalls == 1)
    #expect(pair.statuses.map(\.code) == [.deadlineExceeded])
    pair.server.beginDrain(at: pair.now)
    pair.pump()
    #expect(!pair.client.canStartCall)
    pair.server.reply([1], to: CallID(5))
    pair.pump()
    #expect(pair.statuses.map(\.code) == [.deadlineExceeded, .ok])
    #expect(pair.server.isFinished)
    #expect(pair.client.isFinished)
  }
}
