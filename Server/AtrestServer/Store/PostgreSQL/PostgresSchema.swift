// SPDX-License-Identifier: Apache-2.0
// The format of the PostgreSQL store, and how a database comes to have it.

import AtrestPostgreSQL
import AtrestSockets

/// The format of the PostgreSQL store: see `steps`.
package enum PostgresSchema {
  /// The format this build reads and writes.
  package static var version: Int { steps.count }

  /// "Atrest": held by whoever migrates, so that daemons that start together do it once.
  private static let lock: Int64 = 0x4174_7265_7374

  /// The longest trip of a migration. The session's own limits apply as well.
  private static let deadline = Duration.seconds(600)

  /// How messages name what is migrated.
  private static let path = "The database"

  /// From which format to which a database was brought.
  package struct Migration: Equatable, Sendable {
    /// 0: there were no tables.
    package let from: Int
    package let to: Int
  }

  /// Migrates a database to this format, in one transaction. Does nothing if it has it already.
  ///
  /// Daemons of the older format must have ended: what they prepared knows other columns. Those
  /// that run share a lock, which a migration takes alone; one that had lost its sessions finds the
  /// newer format when it opens the next one.
  ///
  /// - Parameters:
  ///   - connection: Without prepared statements of the store, whose tables may not exist yet.
  ///   - name: The random number that a store which is made is known by.
  ///   - cell: Which cell it must be, or becomes if it is made; nil: whichever it is.
  ///   - isDryRun: Whether nothing is changed.
  ///   - allowsCopy: Whether it may hold an unfinished copy.
  /// - Returns: What was done, or would be.
  /// - Throws: `StoreError`: `newerVersion` if a newer build made it, `notAStore` if the schema
  ///   `atrest` holds something else, `unfinishedCopy`, `wrongCell`, `inUse` if a daemon uses the
  ///   older format. The database is unchanged then.
  /// - Complexity: Two trips, four if there is something to do.
  @discardableResult
  package static func migrate(
    on connection: PostgresConnection, name: UInt64 = UInt64.random(in: 1 ... .max),
    cell: CellNumber? = nil, isDryRun: Bool = false, allowsCopy: Bool = false
  ) async throws(StoreError) -> Migration {
    do {
      let (transaction, answers) = try await PostgresTransaction.begin(
        [
          PostgresStatement("SELECT pg_advisory_xact_lock($1)", [.int8(lock)]),
          PostgresStatement(inspection),
        ], on: connection, within: deadline)
      let found: Int
      do {
        let row = answers.last?.rows.first ?? []
        let meta = try await meta(in: transaction, row)
        found = meta?.version ?? 0
        guard try allowsCopy || !PostgresRow(row).flag(2) else {
          throw StoreError.unfinishedCopy(path: path)
        }
        guard found <= version else {
          throw StoreError.newerVersion(path: path, found: found, supported: version)
        }
        if let meta, let cell, meta.cell != cell {
          throw StoreError.wrongCell(found: meta.cell, expected: cell)
        }
      } catch let error as StoreError {
        await transaction.rollBack()
        throw error
      }
      let migration = Migration(from: found, to: version)
      guard found < version, !isDryRun else {
        await transaction.rollBack()
        return migration
      }
      if found > 0 { try await excludeDaemons(from: transaction) }
      let bits = PostgresValue.int8(Int64(bitPattern: max(1, name)))
      let number = PostgresValue.int8(Int64(version))
      let mark =
        found == 0
        ? PostgresStatement(
          "INSERT INTO atrest.meta (version, name, cell) VALUES ($1, $2, $3)",
          [number, bits, .int8(Int64((cell ?? .sole).rawValue))])
        : PostgresStatement("UPDATE atrest.meta SET version = $1", [number])
      let statements = steps.dropFirst(found).joined().map { PostgresStatement($0) }
      _ = try await transaction.commit(statements + [mark], within: deadline)
      return migration
    } catch let error as PostgresError {
      throw StoreError(error)
    } catch let error as StoreError {
      throw error
    } catch {
      throw .failed(reason: "unexpected error")
    }
  }

  /// Holds what sessions of daemons share, until the transaction ends.
  private static func excludeDaemons(from transaction: PostgresTransaction) async throws {
    let key = PostgresSession.SharedLock.serving.key
    let statement = PostgresStatement("SELECT pg_try_advisory_xact_lock($1)", [.int8(key)])
    let answer = try await transaction.run([statement]).first?.rows.first
    guard answer == [.bool(true)] else {
      await transaction.rollBack()
      throw StoreError.inUse(directory: path, process: nil)
    }
  }

  /// Why a session must not use its database; nil: it may.
  ///
  /// - Parameter cell: Which cell it must be.
  static func objection(
    to connection: PostgresConnection, as cell: CellNumber
  ) async throws(PostgresError) -> StoreError? {
    let statement = PostgresStatement("SELECT version, cell FROM atrest.meta")
    let rows = try await connection.run(PostgresBatch([statement], changes: false)).first?.rows
    guard let row = rows?.first, row.count == 2, let number = row[0].int8,
      let found = Int(exactly: number), let stored = row[1].int8.flatMap(CellNumber.init(stored:))
    else { return .notAStore(path: path) }
    if found > version { return .newerVersion(path: path, found: found, supported: version) }
    if found < version { return .olderVersion(path: path, found: found, supported: version) }
    return stored == cell ? nil : .wrongCell(found: stored, expected: cell)
  }

  /// Migrates a database on a session of its own.
  package static func migrate(
    _ address: PostgresAddress, session: PostgresSession = PostgresSession(),
    cell: CellNumber? = nil, isDryRun: Bool = false
  ) async throws(StoreError) -> Migration {
    let shard: Shard
    do throws(SocketError) { shard = try Shard(label: "atrest.migration") } catch {
      throw .cannotOpen(path: "\(address)", reason: error.userMessage)
    }
    let connection: PostgresConnection
    do throws(PostgresError) {
      connection = try await PostgresConnection.open(address, on: shard, session: session)
    } catch {
      await shard.stop()
      throw StoreError(error)
    }
    let result: Result<Migration, StoreError>
    do throws(StoreError) {
      result = .success(try await migrate(on: connection, cell: cell, isDryRun: isDryRun))
    } catch {
      result = .failure(error)
    }
    await connection.close()
    await shard.stop()
    return try result.get()
  }

  /// Tables in our schema, our columns in its table `meta`, and whether a copy is unfinished.
  private static let inspection = """
    SELECT
      (SELECT count(*) FROM pg_catalog.pg_class AS c
        JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace WHERE n.nspname = 'atrest'),
      (SELECT count(*) FROM pg_catalog.pg_attribute
        WHERE attrelid = to_regclass('atrest.meta') AND attname IN ('version', 'name', 'cell')
        AND atttypid = 'pg_catalog.int8'::regtype AND NOT attisdropped),
      to_regclass('atrest.copy') IS NOT NULL
    """

  /// The format of the database, and which cell it is; nil if it has no tables.
  private static func meta(
    in transaction: PostgresTransaction, _ counts: [PostgresValue]
  ) async throws -> (version: Int, cell: CellNumber)? {
    let row = PostgresRow(counts)
    let (tables, columns) = (try row.integer(0), try row.integer(1))
    if tables == 0 { return nil }
    guard columns == 3 else { throw StoreError.notAStore(path: path) }
    let meta = try await transaction.run([
      PostgresStatement("SELECT version, cell FROM atrest.meta")
    ])
    guard let rows = meta.first?.rows, rows.count == 1,
      let found = Int(exactly: try PostgresRow(rows[0]).integer(0)), found > 0
    else { throw StoreError.notAStore(path: path) }
    return (found, try PostgresRow(rows[0]).cell(1))
  }
}
