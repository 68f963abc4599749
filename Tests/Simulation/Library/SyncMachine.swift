// SPDX-License-Identifier: Apache-2.0
// The two machines of a sync, for one owner.

import AtrestReplication
import AtrestSync

/// A sync, or a follower of the stream. What the first says and is told is the second's `sync`.
enum SyncMachine {
  case cycle(SyncCycle)
  case follower(SyncFollower)

  mutating func begin() -> [FollowAction] {
    switch self {
    case .cycle(var cycle):
      defer { self = .cycle(cycle) }
      return cycle.begin().map { .sync($0) }
    case .follower(var follower):
      defer { self = .follower(follower) }
      return follower.begin()
    }
  }

  mutating func handle(_ event: FollowEvent, at now: WallTime) -> [FollowAction] {
    switch (self, event) {
    case (.cycle(var cycle), .sync(let event)):
      defer { self = .cycle(cycle) }
      return cycle.handle(event, at: now).map { .sync($0) }
    case (.follower(var follower), _):
      defer { self = .follower(follower) }
      return follower.handle(event, at: now)
    case (.cycle, _):
      preconditionFailure("a sync has no stream")
    }
  }
}
