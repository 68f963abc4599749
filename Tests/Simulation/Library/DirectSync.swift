// SPDX-License-Identifier: Apache-2.0
// Owns a sync's machine without a task, as a browser would.

import AtrestClient
import AtrestSync

/// One sync, or one follower of the stream, whose actions and events are events of the scheduler.
final class DirectSync: @unchecked Sendable {
  // Sendable: a simulation has one thread.

  private var machine: SyncMachine
  private let process: DeviceProcess
  private let transport: SimulatedTransport
  private let scheduler: Scheduler
  private let pacing: Pacing
  private let news: (SyncError?) -> Void
  private let done: (Result<SyncReport, SyncError>) -> Void
  private var stream: SimulatedStream?
  /// What the replica held when the next report begins, while no other sync changes it.
  private var tally: (was: Tally, sync: Int)?
  /// Grows whenever all that is under way is dropped.
  private var epoch = 0

  /// - Parameters:
  ///   - news: Called after each sync and each stored event of a follower, and with an error when
  ///     its connection is lost.
  ///   - done: Called once.
  init(
    _ machine: SyncMachine, of process: DeviceProcess, through transport: SimulatedTransport,
    on scheduler: Scheduler, pacing: Pacing, news: @escaping (SyncError?) -> Void,
    done: @escaping (Result<SyncReport, SyncError>) -> Void
  ) {
    self.machine = machine
    self.process = process
    self.transport = transport
    self.scheduler = scheduler
    self.pacing = pacing
    self.news = news
    self.done = done
  }

  func begin() {
    // The process does not count it yet.
    takeTally(besides: 0)
    for action in machine.begin() { carryOut(action) }
  }

  func cancel() { tell(.sync(.cancelled)) }

  /// Tells the machine an event, once all of its last actions are under way.
  ///
  /// - Parameter epoch: That of the action that it follows: it is not told if that was dropped.
  private func tell(_ event: FollowEvent, in epoch: Int? = nil) {
    scheduler.after(0) { [self] in
      guard epoch == nil || epoch == self.epoch else { return }
      for action in machine.handle(event, at: process.device.clock.now()) { carryOut(action) }
    }
  }

  private func carryOut(_ action: FollowAction) {
    let epoch = epoch
    switch action {
    case .sync(.perform(let request)): perform(request)
    case .sync(.send(let request, let credential)): send(request, as: credential)
    case .sync(.backOff(let backOff)), .backOff(let backOff):
      scheduler.after(pacing.delay(backOff)) { [self] in tell(.sync(.waited), in: epoch) }
    case .openStream(let request, let credential):
      if let credential { transport.use(credential) }
      stream = transport.open(request).stream
    case .takeEvent: takeEvent()
    case .awaitWrites: awaitWrites()
    case .closeStream: drop()
    case .news(let report, let error):
      check(error == nil ? report : nil, isOfSync: report.exchanges > 0)
      news(error)
    case .sync(.report), .progress: break
    case .sync(.finish(let result)): finish(result)
    case .finish(let error): finish(.failure(error))
    }
  }

  private func perform(_ request: StoreRequest) {
    process.onDisk { [self, epoch] in
      do throws(ReplicaError) {
        tell(.sync(.stored(try process.perform(request))), in: epoch)
      } catch {
        tell(.sync(.storeFailed(error)), in: epoch)
      }
    }
  }

  private func send(_ request: SyncRequest, as credential: String?) {
    if let credential { transport.use(credential) }
    let clock = process.device.clock
    let asked = clock.uptimeMilliseconds()
    transport.send(request) { [self, epoch] result in
      switch result {
      case .success(let answer):
        tell(.sync(.answered(answer, at: clock.reading(since: asked))), in: epoch)
      case .failure(let error): tell(.sync(.callFailed(error)), in: epoch)
      }
    }
  }

  /// A stream's end is told in place of an event, so it does not overtake those before it.
  private func takeEvent() {
    stream?.next { [self, epoch] result in
      switch result {
      case .success(let event?): tell(.event(event), in: epoch)
      case .success(nil): tell(.streamEnded(nil), in: epoch)
      case .failure(let error): tell(.streamEnded(error), in: epoch)
      }
    }
  }

  /// Polls, because other processes write to the replica as well.
  private func awaitWrites() {
    scheduler.after(pacing.pollInterval) { [self, epoch] in
      guard epoch == self.epoch else { return }
      process.onDisk { [self] in
        guard epoch == self.epoch else { return }
        do throws(ReplicaError) {
          guard try process.replica.perform(.hasWaitingWrites) == .waiting(true) else {
            return awaitWrites()
          }
          tell(.wroteLocally, in: epoch)
        } catch {
          tell(.sync(.storeFailed(error)), in: epoch)
        }
      }
    }
  }

  private func drop() {
    epoch += 1
    stream?.close()
    stream = nil
    transport.abandon()
  }

  private func finish(_ result: Result<SyncReport, SyncError>) {
    drop()
    check(try? result.get(), isOfSync: true)
    done(result)
  }

  /// Compares a report with what the replica holds now, and begins the next one.
  private func check(_ report: SyncReport?, isOfSync: Bool) {
    if let report, let tally, tally.sync == process.lastSync,
      let now = try? Tally(process.replica)
    {
      process.note(now.omission(from: report, since: tally.was, isOfSync: isOfSync))
    }
    takeTally(besides: 1)
  }

  private func takeTally(besides syncs: Int) {
    tally =
      process.syncCount == syncs
      ? (try? Tally(process.replica)).map { ($0, process.lastSync) } : nil
  }
}
