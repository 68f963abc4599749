// SPDX-License-Identifier: Apache-2.0
// The tables of the PostgreSQL store, as the steps that made them.

extension PostgresSchema {
  /// The SQL that leads from each format to the next, from an empty database on. Append only.
  ///
  /// Every table is keyed by account, and no row is written by all transactions: sequences give
  /// numbers, and counters are kept by account. Records have no foreign key to their account, which
  /// would lock its row for each of them. Numbers without a sign keep their bits in `int8`. Names
  /// are compared as bytes, whatever the database's locale.
  static let steps: [[String]] = [first, second, attempts, deletions]

  private static let first =
    ["CREATE SCHEMA IF NOT EXISTS atrest"] + firstTables + firstFunctions + firstRows

  private static let firstTables = [
    """
    CREATE TABLE atrest.meta (
      one boolean PRIMARY KEY DEFAULT true CHECK (one),
      version int8 NOT NULL,
      name int8 NOT NULL,
      cell int8 NOT NULL DEFAULT 0
    )
    """,
    // Numbers are never given twice, even after a rollback.
    "CREATE SEQUENCE atrest.account_number AS int8 NO CYCLE",
    "CREATE SEQUENCE atrest.event_number AS int8 NO CYCLE",
    // Each exchange rewrites its account's row: room in the page keeps that out of the indexes.
    """
    CREATE TABLE atrest.account (
      id int8 PRIMARY KEY,
      name text COLLATE "C" NOT NULL UNIQUE,
      created_ms int8 NOT NULL,
      head int8 NOT NULL DEFAULT 0,
      head_commit int8,
      latest_time int8 NOT NULL DEFAULT 0,
      live int8 NOT NULL DEFAULT 0,
      records int8 NOT NULL DEFAULT 0,
      bytes int8 NOT NULL DEFAULT 0,
      clock_ms int8 NOT NULL DEFAULT 0,
      app_account_token bytea UNIQUE,
      -- The cell that it is being moved to: nothing is read or written then.
      moving_to int8
    ) WITH (
      fillfactor = 60, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 500
    )
    """,
    // A record that changes moves to the end of its feed: each change leaves a dead row behind.
    """
    CREATE TABLE atrest.record (
      account int8 NOT NULL,
      key bytea NOT NULL,
      sequence int8 NOT NULL,
      body bytea NOT NULL,
      due_ms int8,
      history bytea NOT NULL,
      PRIMARY KEY (account, key),
      UNIQUE (account, sequence)
    ) WITH (
      autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000,
      autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05
    )
    """,
    "CREATE INDEX record_by_due ON atrest.record (account, due_ms) WHERE due_ms IS NOT NULL",
    """
    CREATE TABLE atrest.feed_commit (
      account int8 NOT NULL,
      sequence int8 NOT NULL,
      name int8 NOT NULL,
      PRIMARY KEY (account, sequence)
    ) WITH (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000)
    """,
    """
    CREATE TABLE atrest.device (
      account int8 NOT NULL,
      replica int8 NOT NULL UNIQUE,
      name text NOT NULL,
      token_hash bytea NOT NULL,
      paired_ms int8 NOT NULL,
      seen_ms int8,
      revoked_ms int8,
      parent int8,
      approver int8,
      is_renewed boolean NOT NULL,
      acknowledged_sequence int8 NOT NULL DEFAULT 0,
      told_sequence int8 NOT NULL DEFAULT 0,
      outbox_number int8 NOT NULL DEFAULT 0,
      outbox_token int8 NOT NULL DEFAULT 0,
      outbox_refusals bytea NOT NULL DEFAULT '',
      PRIMARY KEY (account, replica)
    ) WITH (
      fillfactor = 60, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 500
    )
    """,
    """
    CREATE TABLE atrest.invitation (
      handle text COLLATE "C" PRIMARY KEY,
      secret_hash bytea NOT NULL,
      account int8 NOT NULL,
      expires_ms int8 NOT NULL,
      tries_left int8 NOT NULL,
      inviter int8,
      needs_approval boolean NOT NULL,
      used_by bytea,
      -- The device that waits with it for approval; null: there was none.
      pending_handle int8,
      pending_name text,
      pending_digits text,
      pending_token_hash bytea,
      pending_since_ms int8
    )
    """,
    "CREATE INDEX invitation_by_account ON atrest.invitation (account)",
    """
    CREATE TABLE atrest.purchase (
      environment text COLLATE "C" NOT NULL,
      original text COLLATE "C" NOT NULL,
      account int8 NOT NULL,
      since_ms int8 NOT NULL,
      PRIMARY KEY (environment, original)
    )
    """,
    "CREATE INDEX purchase_by_account ON atrest.purchase (account)",
    // Numbers only: it outlives accounts. Account 0: none.
    """
    CREATE TABLE atrest.event (
      number int8 PRIMARY KEY,
      account int8 NOT NULL,
      at_ms int8 NOT NULL,
      kind int8 NOT NULL,
      actor int8 NOT NULL,
      subject int8 NOT NULL,
      detail int8 NOT NULL,
      count int8 NOT NULL,
      hash bytea NOT NULL
    )
    """,
    "CREATE INDEX event_by_account ON atrest.event (account, number)",
    // Where devices went with their accounts: a token may name the cell in which it was made.
    """
    CREATE TABLE atrest.moved (
      replica int8 PRIMARY KEY,
      account int8 NOT NULL,
      cell int8 NOT NULL
    )
    """,
    "CREATE INDEX moved_by_account ON atrest.moved (account)",
    // Accounts on their way here, and how far their copies have come. Until one is live it has no
    // row of its own, so nobody finds what is there of it.
    """
    CREATE TABLE atrest.arrival (
      account int8 PRIMARY KEY,
      name text COLLATE "C" NOT NULL UNIQUE,
      from_cell int8 NOT NULL,
      from_account int8 NOT NULL,
      stage int8 NOT NULL,
      -- The last row of the stage's table; null: none.
      place int8,
      is_live boolean NOT NULL DEFAULT false,
      UNIQUE (from_cell, from_account)
    )
    """,
    // How far the servers' common round of housekeeping has come.
    """
    CREATE TABLE atrest.housekeeping (
      one boolean PRIMARY KEY DEFAULT true CHECK (one),
      last_account int8 NOT NULL,
      begun_ms int8 NOT NULL
    )
    """,
  ]

  private static let firstFunctions = [
    // Ends a transaction that relied on what somebody else has changed: it is run again then.
    """
    CREATE FUNCTION atrest.expect(actual int8, expected int8) RETURNS void LANGUAGE plpgsql AS $$
    BEGIN
      IF actual IS DISTINCT FROM expected THEN
        RAISE EXCEPTION 'a row was changed meanwhile' USING ERRCODE = 'serialization_failure';
      END IF;
    END
    $$
    """,
    """
    CREATE FUNCTION atrest.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      RAISE EXCEPTION 'events are neither changed nor removed';
    END
    $$
    """,
    """
    CREATE TRIGGER event_is_not_changed BEFORE UPDATE OR DELETE OR TRUNCATE ON atrest.event
    FOR EACH STATEMENT EXECUTE FUNCTION atrest.refuse_change()
    """,
  ]

  private static let second = [
    // Accounts that are gone, and of which rows are left: see `PostgresRemoval`.
    "CREATE TABLE atrest.removal (account int8 PRIMARY KEY)",
    // What a session must be able to hold of one row. Rows that are there are not looked at, which
    // would take as long as reading all of them.
    """
    ALTER TABLE atrest.record ADD CONSTRAINT record_is_bounded CHECK (
      octet_length(key) <= 1024 AND octet_length(body) <= 1048576
        AND octet_length(history) <= 1048576) NOT VALID
    """,
  ]

  /// Wrong pairing codes: see `AttemptStore`. Worth minutes, and about people who may be strangers:
  /// unlogged, so that no standby, archive or base backup has them.
  private static let attempts = [
    """
    ALTER TABLE atrest.meta ADD COLUMN salt bytea NOT NULL DEFAULT
      sha256(convert_to(gen_random_uuid()::text || gen_random_uuid()::text, 'UTF8'))
    """,
    """
    CREATE UNLOGGED TABLE atrest.pairing_attempt (
      key bytea PRIMARY KEY,
      spent int8 NOT NULL,
      since_ms int8 NOT NULL,
      full_ms int8 NOT NULL
    )
    """,
  ]

  private static let deletions = [
    // The deletions of a day, and when it began: see `RecentDeletions`.
    """
    ALTER TABLE atrest.account
      ADD COLUMN deletions int8 NOT NULL DEFAULT 0,
      ADD COLUMN deletions_since_ms int8 NOT NULL DEFAULT 0
    """
  ]

  private static let firstRows = [
    // Stands for the server itself: what belongs to no account is locked by it.
    "INSERT INTO atrest.account (id, name, created_ms) VALUES (0, '', 0)",
    "INSERT INTO atrest.housekeeping (last_account, begun_ms) VALUES (0, 0)",
  ]
}
