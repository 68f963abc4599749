// SPDX-License-Identifier: Apache-2.0
// What a store removed, kept outside of it: a restored backup must not bring it back.

import AtrestReplication
import Glibc
import Synchronization

/// Accounts that were removed and devices whose access was ended, in a file of numbers beside the
/// store, which no backup holds. Whoever opens the store removes them again. Thread-safe.
final class WithdrawnList: Sendable {
  enum Entry: Hashable, Sendable {
    /// A store that was restored gives the same number again: the time tells which one is meant.
    case account(AccountID, created: WallTime)
    case device(ReplicaID)
  }

  /// Longer than of a million entries. What is beyond is not read.
  private static let limitBytes = 64 << 20

  private let path: String
  /// The random number of the store. A file may hold lines of several.
  private let store: UInt64
  private let known: Mutex<Set<Entry>>

  init(path: String, ofStore store: UInt64) {
    self.path = path
    self.store = store
    known = Mutex(Set(Self.read(path).compactMap { Self.entry($0, ofStore: store) }))
  }

  /// All that is known, in no order.
  var entries: Set<Entry> { known.withLock { $0 } }

  /// Adds entries, durably. A disk that is full keeps them for this process alone.
  func add(_ entries: [Entry]) {
    let new = known.withLock { known in entries.filter { known.insert($0).inserted } }
    guard !new.isEmpty else { return }
    let text = new.map { Self.line($0, ofStore: store) }.joined()
    let file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else { return }
    defer { _ = close(file) }
    // One call: a line that was cut off is not read, and ends before the next one begins.
    _ = Array(("\n" + text).utf8).withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
    _ = fsync(file)
  }

  // MARK: Lines

  /// `STORE account ID CREATED`, or `STORE device REPLICA`.
  private static func line(_ entry: Entry, ofStore store: UInt64) -> String {
    let words =
      switch entry {
      case .account(let id, let created): "account \(id.rawValue) \(created.milliseconds)"
      case .device(let replica): "device \(replica.hex)"
      }
    return "\(String(store, radix: 16)) \(words)\n"
  }

  private static func entry(_ line: Substring, ofStore store: UInt64) -> Entry? {
    let words = line.split(separator: " ")
    guard words.count >= 3, UInt64(words[0], radix: 16) == store else { return nil }
    switch (words[1], words.count) {
    case ("account", 4):
      guard let id = Int64(words[2]), let created = Int64(words[3]) else { return nil }
      return .account(AccountID(rawValue: id), created: WallTime(milliseconds: created))
    case ("device", 3):
      return UInt64(words[2], radix: 16).map { .device(ReplicaID(rawValue: $0)) }
    default: return nil
    }
  }

  private static func read(_ path: String) -> [Substring] {
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard file >= 0 else { return [] }
    defer { _ = close(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while bytes.count < limitBytes {
      let count = buffer.withUnsafeMutableBytes { Glibc.read(file, $0.baseAddress, $0.count) }
      guard count > 0 else { break }
      bytes += buffer[..<count]
    }
    return String(decoding: bytes, as: UTF8.self).split { $0.isNewline }
  }
}

extension SQLiteStore {
  /// Removes what was removed from this store before, and is there again.
  ///
  /// - Returns: Accounts and devices that were.
  /// - Complexity: A look at a row for each entry.
  func withdrawAgain(at now: WallTime) throws(StoreError) -> (accounts: Int, devices: Int) {
    guard let entries = withdrawn?.entries, !entries.isEmpty else { return (0, 0) }
    return try transaction { transaction throws(StoreError) in
      var (accounts, devices) = (0, 0)
      for entry in entries {
        switch entry {
        case .account(let id, let created):
          guard try transaction.accounts.find(id)?.created == created else { continue }
          try transaction.accounts.remove(id)
          try transaction.events.append([NewEvent(.accountRemoved, of: id, at: now)])
          accounts += 1
        case .device(let replica):
          guard let device = try transaction.devices.find(replica), device.revoked == nil else {
            continue
          }
          let address = DeviceAddress(account: device.account, replica: replica)
          try transaction.devices.revoke([address], at: now)
          try transaction.events.append([
            NewEvent(.deviceRevoked, of: device.account, at: now, subject: replica)
          ])
          devices += 1
        }
      }
      return (accounts, devices)
    }
  }
}
