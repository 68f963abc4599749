// SPDX-License-Identifier: Apache-2.0
// Holders of purchases in SQLite.

import AtrestReplication
import Foundation
import GRDB

final class SQLitePurchases: PurchaseStore {
  private let connection: SQLiteConnection

  init(_ connection: SQLiteConnection) {
    self.connection = connection
  }

  func holder(
    of purchase: PurchaseKey
  ) throws(StoreError) -> (account: AccountID, since: WallTime)? {
    try connection.perform { db in
      try Row.fetchOne(
        db, sql: "SELECT account, since_ms FROM purchase WHERE environment = ? AND original = ?",
        arguments: [purchase.environment, purchase.original]
      ).map { row in
        (
          AccountID(rawValue: try row.value(of: "account")),
          WallTime(milliseconds: try row.value(of: "since_ms"))
        )
      }
    }
  }

  func setHolder(
    _ account: AccountID, since: WallTime, of purchase: PurchaseKey
  ) throws(StoreError) {
    try connection.perform { db in
      try db.execute(
        sql: """
          INSERT INTO purchase (environment, original, account, since_ms) VALUES (?, ?, ?, ?)
          ON CONFLICT DO UPDATE SET account = excluded.account, since_ms = excluded.since_ms
          """,
        arguments: [
          purchase.environment, purchase.original, account.rawValue, since.milliseconds,
        ])
    }
  }

  func appAccountToken(
    of account: AccountID, orElse token: [UInt8]
  ) throws(StoreError) -> [UInt8]? {
    try connection.perform { db in
      let known = try Data.fetchOne(
        db, sql: "SELECT token FROM app_account WHERE account = ?", arguments: [account.rawValue])
      if let known { return [UInt8](known) }
      try db.execute(
        sql: "INSERT INTO app_account (account, token) VALUES (?, ?) ON CONFLICT DO NOTHING",
        arguments: [account.rawValue, Data(token)])
      return db.changesCount == 1 ? token : nil
    }
  }
}
