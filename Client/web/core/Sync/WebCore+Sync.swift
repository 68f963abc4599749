// SPDX-License-Identifier: Apache-2.0
// Drives a sync: runs its transactions, and hands calls, pauses and streams to the shell.

import AtrestDomain
import AtrestReplication
import AtrestSync
import AtrestWire

extension WebCore {
  func beginSync(_ argument: Arguments, _ now: WallTime) throws(CoreFailure) -> Answer {
    let credential = try read(now) { work in work.tables.state.token }
    guard credential != nil else { throw CoreFailure(SyncError.notPaired) }
    var step = SyncStep()
    if sync?.stream != nil { step.watch.append(JSON.Member("close", true)) }
    if try argument.flag("follow") {
      var follower = SyncFollower()
      let actions = follower.begin()
      sync = SyncMachine(engine: .following(follower))
      carryOut(actions, now, &step)
    } else {
      var cycle = SyncCycle(allowsMassDeletion: try argument.flag("allowMassDeletion"))
      let actions = cycle.begin()
      sync = SyncMachine(engine: .once(cycle))
      carryOut(actions, now, &step)
    }
    return answer(step)
  }

  func tellSync(
    _ argument: Arguments, _ bytes: [[UInt8]], _ now: WallTime
  ) throws(CoreFailure) -> Answer {
    var step = SyncStep()
    let id = try argument.number("id", 0...Int64.max)
    switch try argument.text("type") {
    case "answered":
      guard let call = sync?.call, call.id == id else { break }
      sync?.call = nil
      let sent = try argument.time("sent") ?? now
      let waited = max(0, now.milliseconds(since: sent))
      tell(event(call.request, bytes.first ?? [], Reading(now: now, waited: waited)), now, &step)
    case "failed":
      guard let call = sync?.call, call.id == id else { break }
      sync?.call = nil
      tell(.callFailed(try failure(argument, details: bytes.first)), now, &step)
    case "waited":
      guard sync?.isBackingOff == true else { break }
      sync?.isBackingOff = false
      tell(.waited, now, &step)
    case "watched":
      guard sync?.stream == id, sync?.wantsEvent == true else { break }
      sync?.wantsEvent = false
      do {
        tellFollower(.event(try WatchResponse(decoding: bytes.first ?? [])), now, &step)
      } catch {
        endStream(.badAnswer("it is not a message of this protocol"), now, &step)
      }
    case "ended":
      guard let stream = sync?.stream, stream == id else { break }
      let status = try argument.number("status", 0...1000) ?? 0
      endStream(
        status == 0 ? nil : try failure(argument, details: bytes.first), now, &step)
    case "wrote": break
    case "cancelled":
      guard sync != nil else { break }
      tell(.cancelled, now, &step)
    default: throw .misuse("the event is unknown")
    }
    tellOfWrites(now, &step)
    return answer(step)
  }

  private func answer(_ step: SyncStep) -> Answer {
    var members = step.members
    if !step.watch.isEmpty { members.append(JSON.Member("watch", .object(step.watch))) }
    return Answer(members: members, messages: step.messages)
  }

  // MARK: Events

  private func event(
    _ request: SyncRequest, _ message: [UInt8], _ reading: Reading
  ) -> SyncEvent {
    do throws(WireError) {
      switch request {
      case .exchange:
        return .answered(.exchange(try ExchangeResponse(decoding: message)), at: reading)
      case .reconcile:
        return .answered(.reconcile(try ReconcileResponse(decoding: message)), at: reading)
      case .renew: return .answered(.renew(try PairResponse(decoding: message)), at: reading)
      }
    } catch {
      return .callFailed(.badAnswer(error.rule ?? "it is not a message of this protocol"))
    }
  }

  private func tell(_ event: SyncEvent, _ now: WallTime, _ step: inout SyncStep) {
    switch sync?.engine {
    case .once(var cycle):
      let actions = cycle.handle(event, at: now)
      sync?.engine = .once(cycle)
      carryOut(actions, now, &step)
    case .following: tellFollower(.sync(event), now, &step)
    case nil: break
    }
  }

  private func tellFollower(_ event: FollowEvent, _ now: WallTime, _ step: inout SyncStep) {
    guard case .following(var follower) = sync?.engine else { return }
    let actions = follower.handle(event, at: now)
    sync?.engine = .following(follower)
    carryOut(actions, now, &step)
  }

  private func endStream(_ error: SyncError?, _ now: WallTime, _ step: inout SyncStep) {
    sync?.stream = nil
    sync?.wantsEvent = false
    tellFollower(.streamEnded(error), now, &step)
  }

  /// A follower learns of waiting writes once it asked.
  private func tellOfWrites(_ now: WallTime, _ step: inout SyncStep) {
    guard sync?.awaitsWrites == true,
      case .waiting(true)? = try? perform(.hasWaitingWrites, at: now)
    else { return }
    sync?.awaitsWrites = false
    tellFollower(.wroteLocally, now, &step)
  }

  // MARK: Actions

  private func carryOut(_ actions: [SyncAction], _ now: WallTime, _ step: inout SyncStep) {
    for action in actions { carryOut(action, now, &step) }
  }

  private func carryOut(_ action: SyncAction, _ now: WallTime, _ step: inout SyncStep) {
    switch action {
    case .perform(let request):
      do throws(ReplicaError) {
        tell(.stored(try perform(request, at: now)), now, &step)
      } catch {
        tell(.storeFailed(error), now, &step)
      }
    case .send(let request, let credential): send(request, as: credential, &step)
    case .backOff(let pause): backOff(pause, &step)
    case .report(let report): step.add("report", report.json)
    case .finish(.success(let report)):
      sync = nil
      step.add("finished", .members(("report", report.json)))
    case .finish(.failure(let error)): finish(error, now, &step)
    }
  }

  private func carryOut(_ actions: [FollowAction], _ now: WallTime, _ step: inout SyncStep) {
    for action in actions {
      switch action {
      case .sync(let action): carryOut(action, now, &step)
      case .openStream(let request, let credential):
        let id = newCallID()
        sync?.stream = id
        step.watch.append(
          JSON.Member(
            "open", step.call(id, Method.Sync.watch, credential, request.encoded)))
      case .takeEvent:
        sync?.wantsEvent = true
        step.watch.append(JSON.Member("take", true))
      case .awaitWrites: sync?.awaitsWrites = true
      case .closeStream:
        sync?.stream = nil
        sync?.call = nil
        sync?.wantsEvent = false
        sync?.awaitsWrites = false
        step.watch.append(JSON.Member("close", true))
      case .backOff(let pause): backOff(pause, &step)
      case .progress(let report): step.add("report", report.json)
      case .news(let report, let error):
        step.add(
          "news",
          .members(("report", report.json), ("error", error.map { CoreFailure($0).json })))
      case .finish(let error): finish(error, now, &step)
      }
    }
  }

  private func send(_ request: SyncRequest, as credential: String?, _ step: inout SyncStep) {
    let id = newCallID()
    sync?.call = SyncMachine.Call(id: id, request: request)
    let (method, message) =
      switch request {
      case .exchange(let request): (Method.Sync.exchange, request.encoded)
      case .reconcile(let request): (Method.Sync.reconcile, request.encoded)
      case .renew(let request): (Method.Devices.renew, request.encoded)
      }
    step.add("send", step.call(id, method, credential, message))
  }

  private func backOff(_ pause: BackOff, _ step: inout SyncStep) {
    sync?.isBackingOff = true
    let milliseconds = pause.milliseconds(random: UInt32(truncatingIfNeeded: random() >> 32))
    step.add("backOff", .integer(milliseconds))
  }

  private func finish(_ error: SyncError, _ now: WallTime, _ step: inout SyncStep) {
    sync = nil
    if error.code == .accessEnded {
      // For the screens to say it later. The error of this sync says it in any case.
      _ = try? write(now) { work in work.tables.state.hasAccessEnded = true }
    }
    step.add("finished", .members(("error", CoreFailure(error).json)))
  }

  /// Exact as a number of JavaScript.
  private func newCallID() -> Int64 { Int64(random() >> 12) }
}
