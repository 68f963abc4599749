// SPDX-License-Identifier: Apache-2.0
// Watch streams: their events, their end, and the effect of revoking a device.

import AtrestDomain
import AtrestHTTP2
import AtrestRPC
import AtrestReplication
import AtrestWire
import Testing

@testable import AtrestServer

@Suite(.timeLimit(.minutes(20))) struct WatchTests {
  private let storage: Storage

  init() throws {
    storage = try Storage()
  }

  private func watch(_ replica: ReplicaID) throws -> RecordingSink {
    let sink = RecordingSink()
    _ = try storage.sync.watch(
      try storage.session(replica), WatchRequest(cursor: nil).encoded, sink: sink)
    return sink
  }

  @Test("the first event says where the account stands, the next what was committed")
  func events() async throws {
    let start = try await storage.exchange(phone, request(nil, water(1))).cursor
    let sink = try watch(tablet)
    let first = try await sink.nextEvent()
    #expect(first.after == start && first.cursor == start && first.records.isEmpty)
    let pushed = try await storage.exchange(phone, request(start, water(2), water(3))).cursor
    let second = try await sink.nextEvent()
    #expect(second.after == start && second.cursor == pushed && pushed.sequence == 3)
    #expect(second.records == [water(2).encoded, water(3).encoded])
    await storage.queue.close()
  }

  @Test("a stream that its caller has cancelled is on no list, whenever it was cancelled")
  func cancelled() async throws {
    let session = try storage.session(tablet)
    let open = try watch(tablet)
    _ = try await open.nextEvent()
    #expect(session.account.watchCount == 1)
    open.cancelCall()
    #expect(session.account.watchCount == 0)
    // Before the account has it.
    try await storage.whileCommitting {
      try watch(tablet).cancelCall()
    }
    _ = try await storage.exchange(phone, request(nil, water(1)))
    #expect(session.account.watchCount == 0)
    await storage.queue.close()
  }

  @Test("one commit is one event, whoever took part in it")
  func oneEvent() async throws {
    let sink = try watch(tablet)
    _ = try await sink.nextEvent()
    let session = try storage.session(phone)
    try await storage.whileCommitting {
      for number in 0..<5 {
        _ = try storage.sync.exchange(session, request(nil, water(number)).encoded) {
          Answer { _, _ in }
        }
      }
    }
    let before = try await sink.nextEvent().cursor
    let event = try await sink.nextEvent()
    #expect(event.after == before && event.cursor == session.account.head)
    #expect(before.sequence == 1 && event.cursor.sequence == 6 && event.records.count == 5)
    await storage.queue.close()
  }

  @Test(
    "a commit too large for an event is told like a heartbeat: nobody takes it for all there is")
  func large() async throws {
    let sink = try watch(tablet)
    _ = try await sink.nextEvent()
    let offers = (0..<1000).map { offer(water($0)) }
    let answer = try await storage.exchange(
      phone, ExchangeRequest(cursor: nil, offers: offers))
    let event = try await sink.nextEvent()
    #expect(event.after == answer.head && event.cursor == answer.head && event.records.isEmpty)
    #expect(answer.head.sequence == 1000)
    await storage.queue.close()
  }

  @Test("other accounts, reads and repeated requests are no news")
  func noNews() async throws {
    let sink = try watch(tablet)
    _ = try await sink.nextEvent()
    _ = try await storage.exchange(ReplicaID(rawValue: 3), request(nil, water(1)))
    _ = try await storage.exchange(phone, request())
    _ = try await storage.exchange(phone, request(nil, water(7)))
    _ = try await storage.exchange(phone, request(nil, water(7)))
    await storage.queue.close()
    #expect(sink.sent.all.count == 2)
  }

  @Test(
    "a reader that is too slow, or has gone, is forgotten",
    arguments: [StreamWriter.SendOutcome.slowReader, .closed])
  func slowReader(result: StreamWriter.SendOutcome) async throws {
    let sink = try watch(tablet)
    _ = try await sink.nextEvent()
    sink.answer(with: result)
    _ = try await storage.exchange(phone, request(nil, water(1)))
    await storage.queue.close()
    sink.answer(with: .queued)
    let session = try storage.session(tablet)
    session.endWatches(.goingAway)
    #expect(sink.finished.all.isEmpty && sink.sent.all.count == 1)
  }

  @Test("a device may listen eight times; a stream that ends makes room")
  func limit() async throws {
    let sinks = try (0..<8).map { _ in try watch(tablet) }
    #expect(throws: Status.self) { try watch(tablet) }
    sinks[3].cancelCall()
    let sink = try watch(tablet)
    _ = try await sink.nextEvent()
    await storage.queue.close()
  }

  @Test("revoking a device ends its streams and its calls, those that wait for a commit included")
  func revocation() async throws {
    let (tabletSink, phoneSink) = (try watch(tablet), try watch(phone))
    _ = try await tabletSink.nextEvent()
    _ = try await phoneSink.nextEvent()
    let (owner, target) = (try storage.session(phone), try storage.session(tablet))
    let answers = Recorder<UnaryOutcome>()
    try await storage.whileCommitting {
      let bytes = DevicesRevokeRequest(replica: tablet).encoded
      _ = try storage.devices.revoke(owner, bytes) {
        Answer { outcome, _ in answers.note(outcome) }
      }
    }
    #expect(try await answers.next().failure == nil)
    #expect(try await tabletSink.finished.next() == .unknownDevice)
    let late = await outcome { later throws(Status) in
      try storage.sync.exchange(
        target, request(nil, water(9, by: tablet)).encoded, answerLater: later)
    }
    #expect(late.failure == .unknownDevice)
    #expect(phoneSink.finished.all.isEmpty)
    #expect(try await storage.exchange(phone, request()).records.count == 1)
    let list = await outcome { later throws(Status) in
      try storage.devices.list(owner, [], answer: later)
    }
    let devices = try DevicesListResponse(decoding: try list.reply).devices
    #expect(devices.map(\.replica) == [phone, tablet])
    #expect(devices.map(\.isCurrent) == [true, false])
    #expect(devices.map(\.revoked) == [nil, WallTime(milliseconds: noon)])
    await storage.queue.close()
  }

  @Test("a device of another account cannot be revoked, nor told from one that does not exist")
  func foreignRevocation() async throws {
    let session = try storage.session(phone)
    for number in [3, 99] {
      let bytes = DevicesRevokeRequest(replica: ReplicaID(rawValue: UInt64(number))).encoded
      let outcome = await outcome { later throws(Status) in
        try storage.devices.revoke(session, bytes, answer: later)
      }
      #expect(outcome.failure == .notFound)
    }
    #expect(try !storage.session(ReplicaID(rawValue: 3)).isRevoked)
    await storage.queue.close()
  }

  @Test("when the server stops, streams end and none begins")
  func stopping() async throws {
    let sink = try watch(tablet)
    _ = try await sink.nextEvent()
    storage.sync.endWatches()
    #expect(sink.finished.all == [.goingAway])
    let late = try watch(phone)
    #expect(late.finished.all == [.goingAway])
    await storage.queue.close()
  }
}

@Suite(.timeLimit(.minutes(20))) struct HealthTests {
  private let health = HealthService(services: ["a.B"])

  private func state(_ sink: RecordingSink) async throws -> HealthCheckResponse.State {
    try HealthCheckResponse(decoding: try await sink.sent.next()).state
  }

  @Test("known services are SERVING, others NOT_FOUND", arguments: ["", "a.B"])
  func check(service: String) throws {
    let answer = try health.check(HealthCheckRequest(service: service).encoded)
    #expect(try HealthCheckResponse(decoding: answer).state == .serving)
    let status = #expect(throws: Status.self) {
      try health.check(HealthCheckRequest(service: "c.D").encoded)
    }
    #expect(status?.code == .notFound)
  }

  @Test("probes that listen hear of the end, and their streams end")
  func draining() async throws {
    let (known, unknown) = (RecordingSink(), RecordingSink())
    try health.watch(HealthCheckRequest(service: "").encoded, sink: known)
    try health.watch(HealthCheckRequest(service: "c.D").encoded, sink: unknown)
    #expect(try await state(known) == .serving)
    #expect(try await state(unknown) == .serviceUnknown)
    health.stopServing()
    #expect(try await state(known) == .notServing)
    #expect(known.finished.all.count == 1 && unknown.finished.all.count == 1)
    let answer = try health.check(HealthCheckRequest(service: "").encoded)
    #expect(try HealthCheckResponse(decoding: answer).state == .notServing)
  }

  @Test("a hundred probes may listen; one more takes the place of the oldest")
  func limit() async throws {
    let sinks = (0..<100).map { _ in RecordingSink() }
    for sink in sinks { try health.watch([], sink: sink) }
    // A slot that is already free evicts nobody.
    sinks[0].cancelCall()
    try health.watch([], sink: RecordingSink())
    #expect(sinks.allSatisfy { $0.finished.all.isEmpty })
    let new = RecordingSink()
    try health.watch([], sink: new)
    #expect(try await state(new) == .serving)
    #expect(sinks[1].finished.all.map(\.code) == [.resourceExhausted])
    #expect(sinks.dropFirst(2).allSatisfy { $0.finished.all.isEmpty })
    // An evicted stream gets no second message.
    health.stopServing()
    #expect(sinks[1].finished.all.count == 1)
    #expect(sinks[2].finished.all.count == 1 && new.finished.all.count == 1)
    #expect(throws: Status.self) { try health.watch([], sink: RecordingSink()) }
  }
}
