// SPDX-License-Identifier: Apache-2.0
// News that wait to be told, and what is told first. Pure.

import AtrestReplication

/// News that wait: what ends access first, then what changed, then the heads of accounts.
///
/// All of them are hints, so telling one twice is harmless, and each is worth ten seconds: by then
/// nobody trusts what was read before it. Beyond a bound some are dropped.
package struct WaitingNews: Sendable {
  /// News of each urgency that wait, at most.
  static let limit = 100_000
  /// The most that one notification may hold is 8,000 bytes.
  static let payloadBytes = 7_900
  /// News of one transaction, which holds a lock over the whole cluster when it commits. Half a
  /// megabyte.
  static let atOnce = 10_000

  private var ends: [StoreNews] = []
  private var changes: [StoreNews] = []
  /// Of several heads of one account, only the last counts.
  private var heads: [AccountID: Cursor] = [:]

  package init() {}

  package var isEmpty: Bool { ends.isEmpty && changes.isEmpty && heads.isEmpty }

  package mutating func add(_ news: [StoreNews]) {
    for item in news {
      switch item {
      case .head(let account, let cursor):
        if heads.count < Self.limit || heads[account] != nil { heads[account] = cursor }
      case .revoked, .removed: Self.append(item, to: &ends)
      default: Self.append(item, to: &changes)
      }
    }
  }

  private static func append(_ item: StoreNews, to list: inout [StoreNews]) {
    if list.count >= limit { list.removeFirst(limit / 2) }
    list.append(item)
  }

  /// Takes what the next transaction tells.
  package mutating func take() -> [StoreNews] {
    var taken = Array(ends.prefix(Self.atOnce))
    ends.removeFirst(taken.count)
    let next = changes.prefix(Self.atOnce - taken.count)
    taken += next
    changes.removeFirst(next.count)
    let order = heads.sorted { $0.key.rawValue < $1.key.rawValue }
    for (account, cursor) in order.prefix(Self.atOnce - taken.count) {
      taken.append(.head(account, cursor))
      heads[account] = nil
    }
    return taken
  }

  /// Takes news back that could not be told.
  mutating func putBack(_ news: [StoreNews]) {
    let later = self
    self = WaitingNews()
    add(news)
    add(later.ends + later.changes + later.heads.map { .head($0, $1) })
  }

  /// News as the texts of notifications.
  ///
  /// - Parameter sender: Begins each of them.
  package static func payloads(_ news: [StoreNews], from sender: String) -> [String] {
    var payloads: [String] = []
    for text in news.map(\.text) {
      if let last = payloads.last, last.utf8.count + text.utf8.count < payloadBytes {
        payloads[payloads.count - 1] = last + "\(StoreNews.separator)" + text
      } else {
        payloads.append(sender + "\(StoreNews.separator)" + text)
      }
    }
    return payloads
  }

  /// The news of a payload.
  ///
  /// - Returns: Nothing for what this sender has told itself. What a newer daemon may say, or
  ///   nobody, is skipped.
  package static func read(_ payload: String, unlessFrom sender: String) -> [StoreNews] {
    let items = payload.split(separator: StoreNews.separator)
    return items.first.map { $0 == sender } ?? true ? [] : items.compactMap { StoreNews($0) }
  }
}
