// SPDX-License-Identifier: Apache-2.0
// What happens to one record on every holder, for debugging.

import AtrestClient
import AtrestReplication
import AtrestServer
import AtrestWire

/// The changes of one record, step by step, on every device and the server.
struct Story {
  private let key: RecordKey
  private var last: [String: [String]] = [:]
  private(set) var lines: [String] = []

  init(of key: RecordKey) { self.key = key }

  /// Notes the changes since the last step.
  mutating func tell(_ step: String, of world: World) {
    var isNamed = false
    for (name, held) in holders(world) where last[name, default: []] != held {
      if !isNamed { lines.append(step) }
      isNamed = true
      let before = Set(last[name, default: []])
      lines += held.filter { !before.contains($0) }.map { "  \(name): \($0)" }
      lines += before.subtracting(held).sorted().map { "  \(name): no more \($0)" }
      last[name] = held
    }
  }

  private func holders(_ world: World) -> [(String, [String])] {
    var holders: [(String, [String])] = []
    for device in world.devices {
      guard let replica = device.process?.replica, !device.disk.hasEnded,
        let records = try? replica.allRecords(), let pending = try? replica.pending()
      else { continue }
      let waiting = pending.filter { $0.key == key }.map {
        "waits \($0.written)\($0.refusal.map { " refused: \($0.message)" } ?? "")"
      }
      holders.append(("device \(device.index)", records.flatMap(text) + waiting))
    }
    if world.isReadable,
      let feeds = try? world.accounts.map({ try world.feed(of: $0, after: 0) })
    {
      let records = feeds.joined().compactMap { try? Record(decoding: $0.body) }
      holders.append(("server", records.flatMap(text)))
    }
    return holders
  }

  private func text(_ record: Record) -> [String] {
    if record.key == key { return record.registers.map { "\($0.field) \($0.text)" } }
    guard let entry = try? Conflict(record), entry.key == key else { return [] }
    return ["journal: \(entry.field) \(entry.lost.text) lost to \(entry.kept.text)"]
  }
}
