// SPDX-License-Identifier: Apache-2.0
// Looks up streams by ID.

/// The open streams of a connection.
struct StreamTable<Stream: AnyObject> {
  private var streams: [Int32: Stream] = [:]
  /// The last lookup: the next one usually wants the same stream.
  private(set) var recent: (number: Int32, stream: Stream)?

  var count: Int { streams.count }
  var isEmpty: Bool { streams.isEmpty }

  mutating func find(_ number: Int32) -> Stream? {
    if let recent, recent.number == number { return recent.stream }
    guard let found = streams[number] else { return nil }
    recent = (number, found)
    return found
  }

  mutating func insert(_ stream: Stream, _ number: Int32) {
    streams[number] = stream
    recent = (number, stream)
  }

  mutating func remove(_ number: Int32) {
    streams[number] = nil
    recent = nil
  }

  mutating func removeAll() {
    streams = [:]
    recent = nil
  }

  /// All streams, oldest first. A copy: checking a stream can end it.
  var all: [Stream] { streams.sorted { $0.key < $1.key }.map(\.value) }
}
