// SPDX-License-Identifier: Apache-2.0
// One connection: both real HTTP/2 ends, and bytes in transit that may be delayed, split or lost.

import AtrestHTTP2
import AtrestRPC
import AtrestReplication
import AtrestWire

/// The state of a device's network. Shared by the device's connections.
final class Link {
  /// Whether bytes from the device arrive. Otherwise they wait.
  var carriesUp = true
  /// Whether bytes from the server arrive.
  var carriesDown = true
  /// Maximum latency of a piece of bytes, in microseconds.
  var latency = 40_000
  /// The numbers of bytes after which the next connections break.
  var cuts: [Int] = []
  /// Bytes per second in each direction. Nil: unlimited.
  var bandwidth: Int?
  /// Whether connections break as soon as the server responds to a call.
  var isDeaf = false
  /// Whether both ends learn of a broken connection at once.
  var isPrompt = false
  /// The open connections.
  var wires: [Wire] = []

  func changed() { for wire in wires { wire.resume() } }
}

/// A connection from a device to a server process.
final class Wire {
  /// The result of a call: its response or its error.
  typealias Completion = (Result<[UInt8], Status>) -> Void

  private final class Pipe {
    var bytes: [UInt8] = []
    var isScheduled = false
    /// The sender has finished: the end follows the bytes.
    var ends = false
  }

  /// A call that is not served yet.
  private struct Request {
    let head: RequestHead
    var body: [UInt8] = []
    var caller: Caller?
    /// Whether it is known who calls, and whether the request has arrived.
    var isAdmitted = false
    var hasEnded = false
  }

  /// Bytes that arrive at a time on a slow link.
  private static let slowPiece = 4_000

  private let world: World
  private let link: Link
  private let server: ServerProcess
  private var chance: Chance
  private let near: ClientConnection
  private let far: ServerConnection
  private let up = Pipe()
  private let down = Pipe()
  private var bytesLeft: Int?
  private var hasAnswered = false
  private var isCut = false
  private var nearIsGone = false
  private var farIsGone = false
  private var calls: [CallID: Completion] = [:]
  /// The message handlers of streams.
  private var readers: [CallID: ([UInt8]) -> Void] = [:]
  private var answers: [CallID: [UInt8]] = [:]
  private var requests: [CallID: Request] = [:]
  private var sinks: [CallID: WireSink] = [:]
  private var nearTimer: Int64 = .max
  private var farTimer: Int64 = .max

  init(_ world: World, _ link: Link, _ server: ServerProcess, _ chance: Chance) {
    self.world = world
    self.link = link
    self.server = server
    self.chance = chance
    near = ClientConnection(
      codecs: world.codecs, authority: "server", isSecure: false, compression: .gzip,
      now: world.instant)
    far = ServerConnection(codecs: world.codecs, now: world.instant)
    bytesLeft = link.cuts.isEmpty ? nil : link.cuts.removeFirst()
    link.wires.append(self)
    server.wires.append(self)
  }

  deinit {
    for sink in sinks.values { sink.abandon() }
  }

  /// Whether the device's end accepts a call.
  var isUsable: Bool { !nearIsGone && near.canStartCall }

  // MARK: The device's end

  /// Starts a call. The completion is called once.
  ///
  /// - Parameter reader: Called for each message of a stream. Nil for a unary call, whose message
  ///   goes to the completion.
  func call(
    _ path: String, _ metadata: Metadata, _ body: [UInt8], timeout: Duration?,
    reader: (([UInt8]) -> Void)? = nil, _ completion: @escaping Completion
  ) -> CallID? {
    guard !nearIsGone,
      let id = near.start(path: path, metadata: metadata, timeout: timeout, at: world.instant)
    else {
      completion(.failure(Status(.unavailable, "The connection was lost.")))
      return nil
    }
    calls[id] = completion
    readers[id] = reader
    _ = near.send(body, on: id, end: true)
    flushNear()
    return id
  }

  func cancel(_ id: CallID) {
    guard !nearIsGone, let completion = calls.removeValue(forKey: id) else { return }
    readers[id] = nil
    near.cancel(id)
    flushNear()
    completion(.failure(Status(.cancelled, "The caller gave up.")))
  }

  /// The device closes the connection in good order.
  func close() {
    guard !nearIsGone else { return }
    near.beginDrain(at: world.instant)
    flushNear()
    up.ends = true
    schedule(up)
    endNear()
  }

  /// The device's machine is gone. Its system may or may not inform the server.
  func deviceDied() {
    nearIsGone = true
    calls = [:]
    readers = [:]
    up.bytes = []
    if chance.oneIn(2) { loseFar(after: chance.pick(1...50_000)) }
    leave()
  }

  /// The server's process is gone. Bytes that it sent may still arrive.
  func serverDied() {
    guard !farIsGone else { return }
    farIsGone = true
    let delay = chance.pick(1...50_000)
    if chance.oneIn(2) { down.bytes = [] }
    world.scheduler.after(Int64(delay)) { self.endNear() }
    leave()
  }

  private func flushNear() {
    guard !nearIsGone else { return }
    var output: [UInt8] = []
    near.appendOutput(to: &output)
    handle(near.pendingEvents)
    send(output, through: up)
    watchNear()
  }

  private func handle(_ events: ClientEvents) {
    for event in events {
      switch event {
      case .headers, .writable, .goAway: break
      case .message(let id, let bytes):
        if let reader = readers[id] { reader(bytes) } else { answers[id] = bytes }
      case .finished(let id, let status):
        let isStream = readers.removeValue(forKey: id) != nil
        let answer = isStream ? [] : answers.removeValue(forKey: id)
        guard let completion = calls.removeValue(forKey: id) else { continue }
        if status.code == .ok, let answer {
          completion(.success(answer))
        } else {
          completion(.failure(status.code == .ok ? Status(.internal, "no answer") : status))
        }
      }
    }
  }

  private func endNear() {
    guard !nearIsGone else { return }
    handle(near.peerClosed(at: world.instant))
    nearIsGone = true
    leave()
  }

  private func watchNear() {
    guard !nearIsGone, let due = near.nextDeadline else { return }
    let at = Int64(clamping: due.nanoseconds / 1000) + 1
    guard at < nearTimer else { return }
    nearTimer = at
    world.scheduler.after(at - world.scheduler.now) { [weak self] in
      guard let self, !nearIsGone, nearTimer == at else { return }
      nearTimer = .max
      handle(near.deadlineReached(at: world.instant))
      flushNear()
      if near.isFinished { endNear() }
    }
  }

  // MARK: The server's end

  private func flushFar() {
    guard !farIsGone else { return }
    var output: [UInt8] = []
    far.appendOutput(to: &output)
    handle(far.pendingEvents)
    send(output, through: down)
    if far.isFinished {
      down.ends = true
      schedule(down)
      endFar()
    } else {
      watchFar()
    }
  }

  private func handle(_ events: ServerEvents) {
    for event in events {
      switch event {
      case .started(let id, let head):
        requests[id] = Request(head: head)
        if head.path == Method.Devices.pair {
          requests[id]?.isAdmitted = true
        } else {
          var isNow = true
          server.authenticate(head.metadata) { [weak self] result in
            self?.admit(id, result, isNow: isNow)
          }
          isNow = false
        }
      case .message(let id, let bytes): requests[id]?.body = bytes
      case .endOfRequest(let id):
        requests[id]?.hasEnded = true
        serve(id)
      case .cancelled(let id, _):
        requests[id] = nil
        sinks.removeValue(forKey: id)?.cancel()
      case .writable: break
      }
    }
  }

  /// - Parameter isNow: Whether the connection is still reporting the call.
  private func admit(_ id: CallID, _ result: Result<Caller, Status>, isNow: Bool) {
    guard !farIsGone, requests[id] != nil else { return }
    switch result {
    case .success(let caller):
      requests[id]?.caller = caller
      requests[id]?.isAdmitted = true
      if !isNow { serve(id) }
    case .failure(let status):
      requests[id] = nil
      far.finish(id, status)
      if !isNow { flushFar() }
    }
  }

  /// Serves a call that has arrived, once it is known who calls.
  private func serve(_ id: CallID) {
    guard let request = requests[id], request.isAdmitted, request.hasEnded else { return }
    requests[id] = nil
    if request.head.path == Method.Sync.watch, let caller = request.caller {
      let sink = WireSink(world.scheduler, self, id)
      sinks[id] = sink
      return server.watch(caller, request.body, sink)
    }
    server.serve(request.head.path, request.caller, request.body) { [weak self] outcome in
      self?.answer(id, outcome)
    }
  }

  private func answer(_ id: CallID, _ outcome: UnaryOutcome) {
    guard !farIsGone, server.isAlive else { return }
    switch outcome {
    case .reply(let bytes):
      hasAnswered = true
      far.reply(bytes, to: id)
    case .fail(let status): far.finish(id, status)
    case .later: return
    }
    flushFar()
  }

  /// Sends a message on a stream. False if its reader is too slow or the call is over.
  func send(_ message: [UInt8], on id: CallID) -> Bool {
    guard !farIsGone, server.isAlive, case .queued = far.send(message, on: id) else { return false }
    flushFar()
    return true
  }

  /// Ends a stream.
  func finish(_ id: CallID, _ status: Status) {
    sinks[id] = nil
    guard !farIsGone, server.isAlive else { return }
    far.finish(id, status)
    flushFar()
  }

  private func endFar() {
    guard !farIsGone else { return }
    handle(far.peerClosed(at: world.instant))
    farIsGone = true
    for id in sinks.keys.sorted(by: { $0.streamID < $1.streamID }) { sinks[id]?.cancel() }
    sinks = [:]
    leave()
  }

  private func loseFar(after delay: Int) {
    world.scheduler.after(Int64(delay)) { self.endFar() }
  }

  private func watchFar() {
    guard !farIsGone, let due = far.nextDeadline else { return }
    let at = Int64(clamping: due.nanoseconds / 1000) + 1
    guard at < farTimer else { return }
    farTimer = at
    world.scheduler.after(at - world.scheduler.now) { [weak self] in
      guard let self, !farIsGone, farTimer == at else { return }
      farTimer = .max
      handle(far.deadlineReached(at: world.instant))
      flushFar()
    }
  }

  // MARK: Transit

  private func send(_ bytes: [UInt8], through pipe: Pipe) {
    guard !isCut, !bytes.isEmpty else { return }
    pipe.bytes += bytes
    schedule(pipe)
  }

  private func schedule(_ pipe: Pipe) {
    guard !pipe.isScheduled, !isCut, !pipe.bytes.isEmpty || pipe.ends else { return }
    guard pipe === up ? link.carriesUp : link.carriesDown else { return }
    pipe.isScheduled = true
    let latency = Int64(chance.pick(1...max(1, link.latency)))
    let transfer = link.bandwidth.map { min(pipe.bytes.count, Self.slowPiece) * 1_000_000 / $0 }
    world.scheduler.after(latency + Int64(transfer ?? 0)) {
      pipe.isScheduled = false
      self.carry(pipe)
    }
  }

  /// Continues after a change of the link's state.
  func resume() {
    schedule(up)
    schedule(down)
  }

  private func carry(_ pipe: Pipe) {
    guard !isCut, pipe === up ? link.carriesUp : link.carriesDown else { return }
    if !pipe.bytes.isEmpty {
      var count = min(pipe.bytes.count, link.bandwidth == nil ? 60_000 : Self.slowPiece)
      if link.bandwidth != nil { world.count(.slowBytes, count) }
      if chance.oneIn(4) { count = chance.pick(1...count) }
      if let left = bytesLeft {
        count = min(count, left)
        bytesLeft = left - count
      }
      let piece = Array(pipe.bytes.prefix(count))
      pipe.bytes.removeFirst(count)
      world.trace(piece)
      // The connection's SETTINGS come before any response.
      if pipe === down, link.isDeaf, hasAnswered { return cut() }
      deliver(piece, from: pipe)
      if bytesLeft == 0 { return cut() }
    }
    if pipe.bytes.isEmpty, pipe.ends {
      pipe.ends = false
      if pipe === up { endFar() } else { endNear() }
    }
    schedule(pipe)
  }

  private func deliver(_ piece: [UInt8], from pipe: Pipe) {
    piece.withUnsafeBytes { bytes in
      if pipe === up {
        guard !farIsGone else { return }
        handle(far.receive(bytes, at: world.instant))
        flushFar()
      } else {
        guard !nearIsGone else { return }
        handle(near.receive(bytes, at: world.instant))
        flushNear()
      }
    }
  }

  /// Breaks the connection: bytes in transit are lost. Each end learns of it soon, or only from its
  /// own timers.
  func cut() {
    guard !isCut else { return }
    isCut = true
    world.count(.cut)
    if link.isPrompt {
      world.scheduler.after(1) { self.endNear() }
      return loseFar(after: 1)
    }
    if !chance.oneIn(4) { world.scheduler.after(Int64(chance.pick(1...99_999))) { self.endNear() } }
    if !chance.oneIn(4) { loseFar(after: chance.pick(1...99_999)) }
  }

  private func leave() {
    guard nearIsGone, farIsGone || isCut else { return }
    link.wires.removeAll { $0 === self }
    server.wires.removeAll { $0 === self }
  }
}
