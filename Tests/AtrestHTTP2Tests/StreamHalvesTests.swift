// SPDX-License-Identifier: Apache-2.0
// The transitions of a stream's two halves, one by one.

import Testing

@testable import AtrestHTTP2

@Suite("The halves of a stream", .timeLimit(.minutes(20)))
struct StreamHalvesTests {
  private let message: [UInt8] = [0, 0, 0, 0, 2, 8, 9]

  /// A request whose headers have arrived.
  private func reading() -> InboundRequest {
    var request = InboundRequest(RequestFields())
    _ = request.headersEnded()
    return request
  }

  /// What a request says of itself, copied: `#expect` looks only into what is copyable.
  private func state(
    of request: borrowing InboundRequest
  ) -> (owesBytes: Bool, isEnded: Bool) {
    (request.owesBytes, request.isEnded)
  }

  private func receive(
    _ bytes: [UInt8], _ request: inout InboundRequest, most: Int = .max
  ) throws -> (intake: InboundRequest.Intake, messages: [[UInt8]]) {
    var messages: [[UInt8]] = []
    let intake = try bytes.withUnsafeBytes { raw in
      try request.receive(raw, limitBytes: 100) { message, _ in
        messages.append(message)
        return messages.count < most
      }
    }
    return (intake, messages)
  }

  private func readOn(
    _ request: inout InboundRequest, most: Int = .max
  ) throws -> (messages: [[UInt8]], count: Int, isEnded: Bool) {
    var messages: [[UInt8]] = []
    let (count, isEnded) = try request.readOn(limitBytes: 100) { message, _ in
      messages.append(message)
      return messages.count < most
    }
    return (messages, count, isEnded)
  }

  @Test("a request has its headers once; what comes after them is trailers")
  func headers() {
    var request = InboundRequest(RequestFields())
    let fields = request.headersEnded()
    #expect(fields != nil)
    let again = request.headersEnded()
    #expect(again == nil)
  }

  @Test("a client owes bytes until its first message, and inside one, and where its end is due")
  func owes() throws {
    var request = reading()
    #expect(state(of: request).owesBytes)
    _ = try receive(message, &request)
    #expect(!state(of: request).owesBytes, "between two messages a stream may be silent")
    _ = try receive(Array(message.prefix(6)), &request)
    #expect(request.owesBytes && request.declaredBytes == 2)
    _ = try receive([9], &request)
    let isNews = request.expectEnd(keptBytes: 50)
    #expect(isNews)
    #expect(request.owesBytes && request.owesEnd && request.holding == (50, true))
    let isNewsAgain = request.expectEnd(keptBytes: 50)
    #expect(!isNewsAgain)
    guard case .complete = request.end() else {
      Issue.record("not complete")
      return
    }
    #expect(!request.owesBytes && request.isEnded && request.holding == (0, false))
  }

  @Test("a stream of messages owes none, but the rest of one that has begun")
  func messages() throws {
    var request = reading()
    request.expectMessages()
    #expect(!state(of: request).owesBytes)
    _ = try receive(Array(message.prefix(3)), &request)
    #expect(state(of: request).owesBytes)
    request.expectMessages()
    #expect(state(of: request).owesBytes, "whatever is said of it again")
  }

  @Test("a paused request holds bytes and its end, and gives both back in order")
  func pause() throws {
    var request = reading()
    request.pause()
    let (intake, early) = try receive(message, &request)
    #expect(intake == .held && early.isEmpty)
    #expect(!state(of: request).owesBytes, "the pause is ours, not the client's")
    guard case .held = request.end() else {
      Issue.record("the end overtakes what is held")
      return
    }
    #expect(state(of: request).isEnded)
    let held = try readOn(&request)
    #expect(held == ([[8, 9]], message.count, true))
    let again = try readOn(&request)
    #expect(again == ([], 0, false))
  }

  @Test("no more messages are read than are taken; the rest waits with what follows it")
  func readsPartly() throws {
    var request = reading()
    let (intake, first) = try receive(message + message + message, &request, most: 1)
    #expect(intake == .readPartly(message.count) && first == [[8, 9]])
    let (held, none) = try receive(message, &request)
    #expect(held == .held && none.isEmpty)
    _ = request.end()
    let two = try readOn(&request, most: 2)
    #expect(two == ([[8, 9], [8, 9]], 2 * message.count, false), "the end is not next")
    let last = try readOn(&request, most: 2)
    #expect(last == ([[8, 9]], message.count, true))
  }

  @Test("what is read in pieces is moved once in a while, and none of it is lost or repeated")
  func bufferedInput() {
    var input = BufferedInput()
    var read: [UInt8] = []
    for round in 0..<100 {
      [UInt8(round), UInt8(round)].withUnsafeBytes { input.append($0) }
      let taken = input.withRest { Array($0.prefix(round % 4)) }
      input.drop(taken.count)
      read += taken
    }
    read += input.withRest { Array($0) }
    #expect(read == (0..<100).flatMap { [UInt8($0), UInt8($0)] })
  }

  @Test("a request that ends inside a message is not complete")
  func cut() throws {
    var request = reading()
    _ = try receive(Array(message.dropLast()), &request)
    guard case .insideMessage = request.end() else {
      Issue.record("half a message is a whole one")
      return
    }
  }

  @Test("what is discarded takes nothing, and remembers whether the client has ended")
  func discard() throws {
    var request = reading()
    request.pause()
    _ = try receive(message, &request)
    let held = (request.discard(), request.discard())
    #expect(held == (message.count, 0), "the window is opened once")
    #expect(!request.isWanted && !request.isEnded && request.holding == (0, false))
    #expect(try receive(message, &request).intake == .discarded)
    guard case .ignored = request.end() else {
      Issue.record("the owner would hear of the end")
      return
    }
    #expect(state(of: request).isEnded)
  }

  @Test("a status alone where nothing was sent; trailers after what was")
  func response() {
    var silent = OutboundResponse()
    let alone = silent.finish(.ok)
    #expect(alone == .alone)
    #expect(silent.isEnded)

    var response = OutboundResponse()
    let starts = (response.start(), response.start())
    #expect(starts == (true, false), "headers go first, once")
    response.messages.append([1], isCompressed: false)
    let ending = response.finish(.ok)
    #expect(ending == .afterMessages)
    #expect(response.isEnded && response.isUnread)

    var unary = OutboundResponse()
    let mustStart = unary.startLast()
    #expect(mustStart)
    #expect(unary.isEnded)
  }

  @Test("trailers wait for the last byte")
  func trailers() {
    var response = OutboundResponse()
    _ = response.start()
    response.messages.append([1, 2, 3], isCompressed: false)
    _ = response.finish(.ok)
    let target = UnsafeMutablePointer<UInt8>.allocate(capacity: 8)
    defer { target.deallocate() }
    let first = response.messages.fill(target, capacity: 4, limitBytes: 10)
    guard case .more = response.next(after: first) else {
      Issue.record("trailers overtake a message")
      return
    }
    let second = response.messages.fill(target, capacity: 8, limitBytes: 10)
    guard case .trailers(.ok) = response.next(after: second) else {
      Issue.record("no trailers")
      return
    }
  }

  @Test("an open stream with nothing to say waits; a refused writer hears of room once")
  func flow() {
    var messages = OutboundMessages()
    let target = UnsafeMutablePointer<UInt8>.allocate(capacity: 64)
    defer { target.deallocate() }
    let taken = [[1, 2, 3, 4, 5], [6]].map {
      messages.append($0, isCompressed: false, limitBytes: 8)
    }
    #expect(taken == [true, false], "an empty queue takes any message")
    let writable = [5, 1, 64].map {
      messages.fill(target, capacity: $0, limitBytes: 8).isWritable
    }
    #expect(writable == [false, true, false], "once, when half is gone")
    let before = messages.mustResume()
    messages.wait()
    let after = (messages.mustResume(), messages.mustResume())
    #expect(!before && after == (true, false))
  }
}
