// SPDX-License-Identifier: Apache-2.0
// How a shared database and its network behave in one world: drawn from the seed.

/// What may go wrong at any step, beside the faults of the history. Nil: never.
struct SharedWeather {
  /// Servers of the database.
  var nodes = 3
  /// Lanes of each server.
  var writers = 2
  var readers = 1
  /// Rows of a chunk: small ones take many trips.
  var chunkRows = 1024
  /// The longest way to the database, in microseconds.
  var latency = 3_000
  /// One trip in so many fails as a conflict with another transaction, or as a deadlock.
  var conflicts: Int?
  /// One trip in so many loses its session, somewhere on the way.
  var breaks: Int?
  /// How far the standby is behind at most, in microseconds.
  var standbyLag = 1_000
  /// How late news are at most, in microseconds.
  var newsDelay = 1_000
  /// One notification in so many is lost, and one in so many is the last that a listener hears.
  var lostNews: Int?
  var deafListeners: Int?

  init(_ chance: inout Chance) {
    nodes = chance.pick(2...3)
    writers = chance.pick(1...3)
    readers = chance.pick(1...2)
    chunkRows = chance.choose([7, 50, 1024]) ?? chunkRows
    latency = chance.choose([300, 3_000, 50_000]) ?? latency
    conflicts = chance.choose([nil, 10, 40]) ?? nil
    breaks = chance.choose([nil, nil, 30, 200]) ?? nil
    standbyLag = chance.choose([0, 2_000, 1_000_000]) ?? 0
    newsDelay = chance.choose([1_000, 100_000, 2_000_000]) ?? 1_000
    lostNews = chance.choose([nil, 5]) ?? nil
    deafListeners = chance.choose([nil, 10]) ?? nil
  }

  /// No trouble from now on.
  mutating func calm() {
    (conflicts, breaks, lostNews, deafListeners) = (nil, nil, nil, nil)
    (standbyLag, newsDelay, latency) = (1_000, 1_000, 300)
  }
}
