// SPDX-License-Identifier: Apache-2.0
// Following a stream as a state machine: what an event means, and what wakes a sync.

import AtrestReplication
import AtrestTestSupport
import AtrestWire
import Testing

@testable import AtrestSync

@Suite("A follower's state machine", .timeLimit(.minutes(20)))
struct SyncFollowerTests {
  /// What a follower asked for and has not been told.
  private struct Follow {
    var world = ScriptedWorld()
    var follower = SyncFollower()
    var underWay = UnderWay()
    var stream: WatchRequest?
    var wantsEvent = false
    var awaitsWrites = false
    var pause: BackOff?
    var end: SyncError?
    var progress: SyncReport?
    var news: [(report: SyncReport, error: SyncError?)] = []

    /// - Parameter isRunning: Whether the first sync is over and the stream open.
    init(isRunning: Bool = true) {
      take(follower.begin())
      if isRunning { run() }
    }

    mutating func take(_ actions: [FollowAction]) {
      for action in actions {
        #expect(end == nil)
        switch action {
        case .sync(let action): underWay.take([action])
        case .openStream(let request, let credential):
          #expect(stream == nil && credential == "secret")
          stream = request
        case .takeEvent:
          #expect(stream != nil && !wantsEvent)
          wantsEvent = true
        case .awaitWrites:
          #expect(stream != nil && !awaitsWrites)
          awaitsWrites = true
        case .closeStream:
          (stream, wantsEvent, awaitsWrites) = (nil, false, false)
          (underWay.store, underWay.call, underWay.pause) = (nil, nil, nil)
        case .backOff(let backOff): pause = backOff
        case .progress(let report): progress = report
        case .news(let report, let error): news.append((report, error))
        case .finish(let error): end = error
        }
      }
    }

    mutating func tell(_ event: FollowEvent) { take(follower.handle(event, at: now)) }

    /// Runs transactions and calls until none is asked for.
    mutating func run() {
      while true {
        if let request = underWay.store {
          underWay.store = nil
          tell(.sync(.stored(world.reply(to: request))))
        } else if let request = underWay.call {
          underWay.call = nil
          tell(.sync(.answered(world.answer(to: request), at: reading)))
        } else {
          return
        }
      }
    }

    mutating func bring(_ event: WatchResponse) {
      #expect(wantsEvent)
      wantsEvent = false
      tell(.event(event))
    }

    mutating func write(_ number: UInt64) {
      world.waiting.append(number)
      #expect(awaitsWrites)
      awaitsWrites = false
      tell(.wroteLocally)
    }

    /// A commit of another device, and its event.
    mutating func commit() -> WatchResponse {
      let before = UInt64(world.feed.count)
      world.feed.append([UInt8(before)])
      return WatchResponse(
        after: cursor(before), records: [[UInt8(before)]], cursor: cursor(before + 1),
        serverTime: now)
    }
  }

  @Test("syncs first, then opens the stream where that ended, and waits for events and writes")
  func opens() {
    var follow = Follow(isRunning: false)
    follow.world.feed = [[1], [2], [3]]
    follow.run()
    #expect(follow.stream == WatchRequest(cursor: cursor(3)))
    #expect(follow.wantsEvent && follow.awaitsWrites)
    #expect(follow.news.map(\.report.pulled) == [3] && follow.news[0].error == nil)
    #expect(follow.progress?.pulled == 3, "the totals were shown meanwhile")
  }

  @Test("an event that follows is stored without a call, and the next one asked for")
  func event() {
    var follow = Follow()
    let calls = follow.underWay.calls.count
    for number in 0..<3 {
      follow.bring(follow.commit())
      follow.run()
      #expect(follow.world.pulled.count == number + 1)
      #expect(follow.wantsEvent && follow.awaitsWrites)
    }
    #expect(follow.underWay.calls.count == calls)
    #expect(follow.news.dropFirst().map(\.report.pulled) == [1, 1, 1])
  }

  @Test("a heartbeat, and the event of a commit of this device, change nothing")
  func known() {
    var follow = Follow()
    let event = follow.commit()
    follow.bring(event)
    follow.run()
    let news = follow.news.count
    follow.bring(WatchResponse(after: cursor(1), records: [], cursor: cursor(1), serverTime: now))
    follow.run()
    follow.bring(event)
    follow.run()
    #expect(follow.news.count == news && follow.wantsEvent)
  }

  @Test("an event that does not fit, or that stands for a large commit, causes a sync")
  func gap() {
    for isLarge in [true, false] {
      var follow = Follow()
      _ = follow.commit()
      var event = follow.commit()
      if isLarge { event.records = [] }
      follow.bring(event)
      follow.run()
      #expect(follow.world.pulled.count == 2 && follow.wantsEvent)
    }
  }

  @Test("a write causes a sync; one during another is pushed after that")
  func writes() {
    var follow = Follow()
    follow.write(1)
    follow.run()
    #expect(follow.world.taken == [1] && follow.awaitsWrites)
    follow.bring(follow.commit())
    follow.write(2)
    #expect(follow.world.taken == [1], "an event is being stored")
    follow.run()
    #expect(follow.world.taken == [1, 2] && follow.wantsEvent && follow.awaitsWrites)
  }

  @Test("an event that comes during a sync waits for its end")
  func eventDuringSync() {
    var follow = Follow()
    follow.write(1)
    follow.bring(follow.commit())
    #expect(!follow.wantsEvent, "it is held back")
    follow.run()
    #expect(follow.world.pulled.count == 1 && follow.wantsEvent && follow.awaitsWrites)
  }

  @Test("a stream that ends, whatever else is under way, is opened again after a pause")
  func ends() {
    var follow = Follow()
    for failures in 1...3 {
      follow.bring(follow.commit())
      follow.tell(.streamEnded(failures == 2 ? nil : .unreachable("cut")))
      #expect(follow.stream == nil && follow.pause?.failures == 1, "an event came in between")
      #expect(follow.news.last?.error == (failures == 2 ? nil : .unreachable("cut")))
      follow.pause = nil
      follow.tell(.sync(.waited))
      follow.run()
      #expect(follow.stream?.cursor == cursor(UInt64(failures)))
    }
  }

  @Test("pauses grow while streams end before their first event, though syncs succeed")
  func streamsThatEndAtOnce() {
    var follow = Follow()
    for failures in 1...4 {
      follow.tell(.streamEnded(failures == 2 ? nil : .unreachable("too many streams")))
      #expect(follow.pause?.failures == failures)
      follow.pause = nil
      follow.tell(.sync(.waited))
      follow.run()
      #expect(follow.stream != nil)
    }
    follow.bring(follow.commit())
    follow.tell(.streamEnded(nil))
    #expect(follow.pause?.failures == 1, "that stream worked")
  }

  @Test("a pause that the server asks for is waited out, however long a sync would wait for it")
  func asked() {
    var follow = Follow()
    let busy = failure(askingFor: 60_000)
    follow.tell(.streamEnded(busy))
    #expect(follow.pause == BackOff(failures: 1, after: busy))
    #expect(follow.pause?.requestedMilliseconds == 60_000 && follow.news.last?.error == busy)
    follow.pause = nil
    follow.tell(.sync(.waited))
    follow.run()
    #expect(follow.stream != nil)
  }

  @Test("pauses grow while nothing succeeds; only the first sync repeats its call")
  func growing() {
    var follow = Follow(isRunning: false)
    for failures in 1...4 {
      for _ in 0..<(failures == 1 ? 5 : 1) {
        #expect(follow.pause == nil)
        while let request = follow.underWay.store {
          follow.underWay.store = nil
          follow.tell(.sync(.stored(follow.world.reply(to: request))))
        }
        follow.underWay.call = nil
        follow.tell(.sync(.callFailed(.unreachable("no network"))))
        if follow.underWay.pause != nil {
          follow.underWay.pause = nil
          follow.tell(.sync(.waited))
        }
      }
      #expect(follow.pause?.failures == failures)
      follow.pause = nil
      follow.tell(.sync(.waited))
    }
    #expect(follow.news.count == 4)
  }

  @Test("a permanent failure, and an owner that gives up, end it")
  func over() {
    var follow = Follow()
    follow.tell(.streamEnded(.accessEnded))
    #expect(follow.end == .accessEnded && follow.stream == nil)
    var other = Follow()
    other.write(1)
    other.tell(.sync(.cancelled))
    #expect(other.end == .cancelled)
    #expect(other.follower.handle(.wroteLocally, at: now) == [])
  }

  @Test("whatever comes in whatever order, nothing is lost, and one of each is asked for")
  func anyOrder() {
    checkLaw(cases: 500) { random in
      var follow = Follow()
      var events: [WatchResponse] = []
      var last: UInt64 = 0
      for _ in 0..<60 {
        switch Int.random(in: 0..<6, using: &random) {
        case 0 where follow.world.feed.count < 200: events.append(follow.commit())
        case 1 where follow.awaitsWrites:
          last += 1
          follow.write(last)
        case 2 where follow.wantsEvent && !events.isEmpty: follow.bring(events.removeFirst())
        case 3 where follow.underWay.store != nil:
          guard let request = follow.underWay.store else { return false }
          follow.underWay.store = nil
          follow.tell(.sync(.stored(follow.world.reply(to: request))))
        case 4 where follow.underWay.call != nil:
          guard let request = follow.underWay.call else { return false }
          follow.underWay.call = nil
          follow.tell(.sync(.answered(follow.world.answer(to: request), at: reading)))
        case 5 where follow.stream != nil && random.oneIn(8):
          follow.tell(.streamEnded(nil))
          events = []
          follow.tell(.sync(.waited))
        default: break
        }
      }
      follow.run()
      while !events.isEmpty {
        guard follow.wantsEvent else { return false }
        follow.bring(events.removeFirst())
        follow.run()
      }
      return follow.world.pulled == follow.world.feed
        && follow.world.taken == Array(1..<(last + 1)) && follow.wantsEvent && follow.awaitsWrites
    }
  }
}
