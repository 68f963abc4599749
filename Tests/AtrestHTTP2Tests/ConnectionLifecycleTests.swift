// SPDX-License-Identifier: Apache-2.0
// The transitions of a connection's lifecycle, one by one.

import Testing

@testable import AtrestHTTP2

@Suite("The life of a connection, without its frames", .timeLimit(.minutes(20)))
struct ConnectionLifecycleTests {
  private let start = Instant.start
  private let times = Times(.default)

  private func lifecycle(_ role: ConnectionLifecycle.Role = .server) -> ConnectionLifecycle {
    ConnectionLifecycle(role, times: times, now: start)
  }

  /// A server connection with one open call.
  private func serving() -> ConnectionLifecycle {
    var life = lifecycle()
    life.settingsArrived(at: start)
    life.requestBegan()
    return life
  }

  /// Expects these actions in this order.
  private func expect(
    _ life: inout ConnectionLifecycle, after seconds: Int, _ expected: [String],
    at location: SourceLocation = #_sourceLocation
  ) {
    var names: [String] = []
    let now = start.advanced(by: .seconds(seconds))
    while let action = life.dueAction(at: now) {
      names.append("\(action)")
      switch action {
      case .terminate: life.terminated()
      case .sendFinalGoAway: life.drainBegan(lastStream: 7)
      case .sendPing, .sendShutdownNotice, .abandonCalls: break
      }
    }
    #expect(names == expected, sourceLocation: location)
  }

  @Test("a peer that sends no SETTINGS is cut off; one that sends no request is asked to leave")
  func handshake() {
    var silent = lifecycle()
    #expect(!silent.isHandshaken)
    expect(&silent, after: 4, [])
    expect(&silent, after: 5, ["terminate(AtrestHTTP2.Cancellation.connectionLost)"])

    var idle = lifecycle()
    idle.settingsArrived(at: start)
    #expect(idle.isHandshaken)
    expect(&idle, after: 9, [])
    expect(&idle, after: 10, ["sendShutdownNotice"])
  }

  @Test("a client waits for SETTINGS only, pings only while calls are open, and leaves when idle")
  func client() {
    var life = lifecycle(.client)
    life.settingsArrived(at: start)
    expect(&life, after: 899, [])
    life.requestBegan()
    expect(&life, after: 3_600, ["sendPing"])
    life.bytesArrived(at: start.advanced(by: .seconds(3_601)))
    life.idleSince = start.advanced(by: .seconds(3_601))
    expect(&life, after: 4_500, [])
    expect(&life, after: 4_501, ["sendFinalGoAway"])
  }

  @Test("only the answer to the notice, or time, brings the final GOAWAY")
  func drain() {
    var life = serving()
    guard case .sendShutdownNotice = life.beginDrain(at: start) else {
      Issue.record("no notice")
      return
    }
    let again = life.beginDrain(at: start)
    #expect(again == nil, "it has begun")
    #expect(life.lastStream == nil)
    guard case .sendFinalGoAway = life.noticeAcknowledged() else {
      Issue.record("no final GOAWAY")
      return
    }
    life.drainBegan(lastStream: 7)
    #expect(life.lastStream == 7)
    let second = life.noticeAcknowledged()
    #expect(second == nil, "it is out")
    expect(&life, after: 9, [])
    expect(&life, after: 10, ["abandonCalls"])
    expect(&life, after: 11, ["terminate(AtrestHTTP2.Cancellation.draining)"])
    #expect(life.isTerminated && life.nextDeadline == nil)
  }

  @Test("an acknowledgement before a drain begins none")
  func strayAcknowledgement() {
    var life = serving()
    let action = life.noticeAcknowledged()
    #expect(action == nil)
    #expect(life.lastStream == nil)
  }

  @Test("a GOAWAY with an error ends reading at once, and the connection once it has left")
  func goAway() {
    var life = serving()
    let early = life.goAwaySent()
    #expect(early == nil, "that of a drain ends nothing")
    let begins = life.goAwayBegan()
    #expect(begins)
    #expect(!life.isReading && !life.isTerminated)
    let beginsAgain = life.goAwayBegan()
    #expect(!beginsAgain, "once")
    guard case .terminate(.connectionLost) = life.goAwaySent() else {
      Issue.record("it goes on")
      return
    }
  }

  @Test("a peer that does not read the last GOAWAY does not outlive a drain")
  func goAwayUnread() {
    var life = serving()
    _ = life.beginDrain(at: start)
    _ = life.goAwayBegan()
    expect(&life, after: 10, [])
    expect(&life, after: 11, ["terminate(AtrestHTTP2.Cancellation.draining)"])
  }

  @Test("silence is answered with a ping, and silence after that with the end; a byte forgives")
  func keepalive() {
    var life = serving()
    expect(&life, after: 59, [])
    expect(&life, after: 60, ["sendPing"])
    life.bytesArrived(at: start.advanced(by: .seconds(61)))
    expect(&life, after: 120, [])
    expect(&life, after: 121, ["sendPing"])
    expect(&life, after: 140, [])
    expect(&life, after: 141, ["terminate(AtrestHTTP2.Cancellation.connectionLost)"])
  }

  @Test("a header block that does not end takes the connection with it")
  func headerBlock() {
    var life = serving()
    life.headerBlockBegan(at: start)
    expect(&life, after: 9, [])
    var ended = life
    ended.headerBlockEnded()
    expect(&ended, after: 10, [])
    expect(&life, after: 10, ["terminate(AtrestHTTP2.Cancellation.connectionLost)"])
  }

  @Test("a server's connection without calls leaves after a while; one with calls does not")
  func idle() {
    var life = serving()
    expect(&life, after: 59, [])
    life.idleSince = start
    life.bytesArrived(at: start.advanced(by: .seconds(899)))
    expect(&life, after: 899, [])
    expect(&life, after: 900, ["sendShutdownNotice"])
  }
}
