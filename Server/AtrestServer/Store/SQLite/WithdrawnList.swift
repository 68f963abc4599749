// SPDX-License-Identifier: Apache-2.0
// What a store removed, kept outside of it: a restored backup must not bring it back.

import AtrestFiles
import AtrestReplication
import Glibc
import Synchronization

/// Accounts that were removed and devices whose access was ended, in a file of numbers beside the
/// store, which no backup holds. Opening the store removes them again. Thread-safe.
final class WithdrawnList: Sendable {
  enum Entry: Hashable, Sendable {
    /// A store that was restored gives the same number again: the time tells which one is meant.
    case account(AccountID, created: WallTime)
    case device(ReplicaID)
  }

  /// Longer than of a million entries.
  private static let limitBytes = 64 << 20

  private struct State {
    var known: Set<Entry>
    /// What is known and not in the file yet.
    var owed: [Entry] = []
  }

  private let path: String
  /// The random number of the store. A file may hold lines of several.
  private let store: UInt64
  private let state: Mutex<State>

  /// Reads the file, if there is one.
  ///
  /// - Throws: `StoreError.cannotOpen` if it cannot be read whole: what it names would be back.
  init(path: String, ofStore store: UInt64) throws(StoreError) {
    self.path = path
    self.store = store
    let lines = try Self.read(path)
    state = Mutex(State(known: Set(lines.compactMap { Self.entry($0, ofStore: store) })))
  }

  /// All that is known, in no order.
  var entries: Set<Entry> { state.withLock { $0.known } }

  /// Adds entries, durably. What the disk does not take is owed.
  func add(_ entries: [Entry]) {
    let isNew = state.withLock { state in
      let new = entries.filter { state.known.insert($0).inserted }
      state.owed += new
      return !new.isEmpty
    }
    if isNew { _ = writeOwed() }
  }

  /// Writes what is owed.
  ///
  /// - Returns: Whether nothing is owed any more.
  func writeOwed() -> Bool {
    state.withLock { state in
      guard !state.owed.isEmpty else { return true }
      let text = state.owed.map { Self.line($0, ofStore: store) }.joined()
      // A line that was cut off before is not read, and ends here.
      do throws(SmallFileProblem) {
        try SmallFile.append(Array(("\n" + text).utf8), to: path)
      } catch {
        return false
      }
      state.owed = []
      return true
    }
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

  private static func read(_ path: String) throws(StoreError) -> [Substring] {
    let bytes: [UInt8]
    do throws(SmallFileProblem) {
      bytes = try SmallFile.read(path, limitBytes: limitBytes)
    } catch {
      if error == .system(ENOENT) { return [] }
      throw .cannotOpen(path: path, reason: error.reason)
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
