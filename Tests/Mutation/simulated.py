# SPDX-License-Identifier: Apache-2.0
"""Mutations that the simulator can switch on while it runs: mistakes in what a sync promises.

The order is that of the table in docs/develop/reliability.md.
"""

from mutation import Edit, mutation

CLIENT, SERVER, REPLICATION = "Client/AtrestClient", "Server/AtrestServer", "Sources/AtrestReplication"
SYNC = "Sources/AtrestSync"

SIMULATED = [
    mutation(
        "arrivalDecidesTie",
        "Of two writes with one stamp the one that came last stays.",
        Edit(
            f"{REPLICATION}/Register.swift",
            "«»if value != other.value { return value.lexicographicallyPrecedes(other.value) }",
            "return true",
        ),
    ),
    mutation(
        "timeAsCursor",
        "The server gives a time as the place in the feed.",
        Edit(
            f"{SERVER}/Sync/Exchange.swift",
            "    response.head = feed.head\n    «»return response",
            "response.cursor = Cursor(commit: feed.commit, sequence: UInt64(clamping: now.milliseconds)); "
            "response.head = response.cursor",
        ),
    ),
    mutation(
        "acknowledgedBeforeCommit",
        "The server answers before its commit returned.",
        Edit(
            f"{SERVER}/Store/CommitQueue.swift",
            "          try job.job.run(in: batch)\n        «»}\n",
            "jobs.finish([job], nil)",
        ),
    ),
    mutation(
        "outboxClearedEarly",
        "The client forgets what it offered before the answer is stored.",
        Edit(
            f"{SYNC}/Replica/UnitOfWork+Requests.swift",
            "try «outbox.page(after: number, of: pageRecords)»",
            "{ () throws(ReplicaError) -> OutboxPage in "
            "let page = try outbox.page(after: number, of: pageRecords); "
            "for sequence in page.sequences { try outbox.remove(sequence) }; "
            "return page }()",
        ),
    ),
    mutation(
        "stampClamped",
        "The receiver turns a stamp ahead of its clock back.",
        Edit(
            f"{SYNC}/Replica/UnitOfWork+Merging.swift",
            "        received = try «Record(decoding: bytes)»",
            "{ (record: Record) -> Record in "
            "let bound = HybridTime(tables.state.serverOffset.corrected(now)); "
            "return Record(key: record.key, registers: record.registers.map { "
            "Register(field: $0.field, stamp: Stamp(time: min($0.stamp.time, bound), replica: $0.stamp.replica), "
            "replaced: $0.replaced, value: $0.value) }) ?? record }(try Record(decoding: bytes))",
        ),
    ),
    mutation(
        "tombstoneDropped",
        "The server does not pass a deletion on.",
        Edit(
            f"{SERVER}/Sync/Exchange.swift",
            "        «»guard records.count < pageRecords, bytes + body.count <= Page.recordBytes else {",
            "if (try? Record(decoding: body))?.isDeleted == true { return true }",
        ),
    ),
    mutation(
        "journalForgotten",
        "The server does not journal a write that lost.",
        Edit(f"{SERVER}/Sync/Exchange.swift", "for entry in «journal» {", "[Record]()"),
    ),
    mutation(
        "clockForgotten",
        "The client's logical clock starts anew with the program.",
        Edit(
            f"{CLIENT}/Store/SQLiteTables+State.swift",
            "self.clock = «HybridClock(latest: clock)»",
            "HybridClock()",
        ),
    ),
    mutation(
        "cursorMovedFirst",
        "The client moves its cursor, and stores the records in another transaction.",
        Edit(
            f"{CLIENT}/Store/Replica+Store.swift",
            "    «»return try write { try $0.work.reply(to: request, pageRecords: pageRecords) }",
            "if case .apply(let answer, _, _) = request { try write { $0.state.cursor = answer.cursor } }",
        ),
    ),
    mutation(
        "refusedForgotten",
        "The client takes a refused write out of the outbox.",
        Edit(
            f"{SYNC}/Replica/UnitOfWork+Answers.swift",
            "let refusals = answer.refusals.filter { «judged.contains($0.index)» }",
            "false",
        ),
    ),
    mutation(
        "sequenceGivenTwice",
        "The server gives a sequence that was given before.",
        Edit(
            f"{SERVER}/Sync/AccountFeed.swift",
            "head: isAdvanced ? Cursor(commit: commit, sequence: «last») : nil,",
            "last - 1",
        ),
    ),
    mutation(
        "unknownFieldDropped",
        "The receiver drops fields it does not know.",
        Edit(
            f"{SYNC}/Replica/UnitOfWork+Merging.swift",
            "        received = try «Record(decoding: bytes)»",
            "{ (record: Record) -> Record in "
            "Record(key: record.key, registers: record.registers.filter { $0.field < 16 }) ?? record "
            "}(try Record(decoding: bytes))",
        ),
    ),
    mutation(
        "laterOfferForgotten",
        "The client believes that all up to the server's position was taken, beyond the known verdicts.",
        Edit(
            f"{SYNC}/Replica/UnitOfWork+Answers.swift",
            "number: «min(position.number, last)», token",
            "position.number",
        ),
    ),
    mutation(
        "commitNotSynced",
        "The server's log is not synced before the answer.",
        Edit(
            f"{SERVER}/Store/SQLite/SQLiteStore+Opening.swift",
            '    «»let synchronous = try Int.fetchOne(db, sql: "PRAGMA synchronous") ?? 0',
            'try db.execute(sql: "PRAGMA synchronous = NORMAL")',
        ),
        Edit(
            f"{SERVER}/Store/SQLite/SQLiteStore+Opening.swift",
            'guard mode == "wal", «synchronous == 2» else {',
            "synchronous > 0",
        ),
    ),
    mutation(
        "writeNotSynced",
        "The client's log is not synced before the command returns.",
        Edit(
            f"{CLIENT}/Store/ReplicaFile.swift",
            "PRAGMA synchronous = «FULL»; PRAGMA fullfsync = ON;",
            "NORMAL",
            literal=True,
        ),
    ),
    mutation(
        "cursorAhead",
        "A page that has more after it ends one record too far.",
        Edit(f"{SERVER}/Sync/Exchange.swift", "    «»response.cursor = more ? try", "reached += 1"),
    ),
    mutation(
        "restoreNotNoticed",
        "The server takes any place in the feed for one of its own past.",
        Edit(
            f"{SERVER}/Sync/AccountFeed.swift",
            "    «»guard let position else { return true }",
            "return true",
        ),
    ),
    mutation(
        "copyNotNoticed",
        "The server does not look at positions of outboxes.",
        Edit(
            f"{SERVER}/Sync/OfferLog.swift",
            "«segment.map {\n"
            "        $0.follows(stored.takenThrough) && open.count <= DeviceOutbox.refusalLimit\n"
            "      } ?? true»",
            "true",
        ),
    ),
    mutation(
        "comparisonSkipped",
        "The client notes that it compared everything, and did not.",
        Edit(
            f"{SYNC}/SyncCycle.swift",
            "      «»let (loop, action) = ComparisonLoop.begin()",
            "return exchange(then: .endReconcile(demand: demand, isWhole: true))",
        ),
    ),
    mutation(
        "floorIgnored",
        "Merging pays no regard to floors.",
        Edit(f"{REPLICATION}/Record.swift", "return «floor.map { $0.givesWay(to: theirs) } ?? true»", "false"),
    ),
    mutation(
        "skewNotChecked",
        "The server takes stamps however far ahead of its clock they are.",
        Edit(
            f"{REPLICATION}/ClockSkew.swift",
            "    «»let ahead = offer.record.registers.filter {",
            "return []",
        ),
    ),
    mutation(
        "settledAtOnce",
        "The client forgets what the server took before it holds everything up to the head.",
        Edit(
            f"{SYNC}/Replica/UnitOfWork+Answers.swift",
            "guard «tables.state.isAtHead» else {",
            "true",
        ),
    ),
    mutation(
        "takenNotShown",
        "The client does not show up to where it was told that its outbox was taken.",
        Edit(
            f"{SYNC}/Replica/Outbox+Pages.swift",
            "confirmed: OutboxPosition(number: «last», token",
            "0",
        ),
    ),
    mutation(
        "overtakenStored",
        "The client stores an answer to a request that was made before another sync moved the cursor.",
        Edit(
            f"{SYNC}/Replica/UnitOfWork+Answers.swift",
            "guard «tables.state.cursor == cursor» else {",
            "true",
        ),
        Edit(
            f"{SYNC}/Replica/ReplicaState+Position.swift",
            "    «cursor != request.cursor && head != answer.head»",
            "false",
        ),
    ),
    mutation(
        "commitsNotNamed",
        "Any commit may stand in any other's place: all have one name.",
        Edit(f"{SERVER}/Sync/AccountFeed.swift", "self.commit = «max(1, commit)»", "1"),
    ),
    mutation(
        "positionAlwaysKnown",
        "The client takes any position of its outbox for one of its own past.",
        Edit(
            f"{SYNC}/Replica/Outbox+Log.swift", "if «position.token == 0» { return true }", "true"
        ),
    ),
    mutation(
        "offerJudgedTwice",
        "The server judges an offer again that it judged before.",
        Edit(
            f"{SERVER}/Sync/OfferLog.swift",
            "if «number <= stored.takenThrough.number» {",
            "false",
        ),
    ),
    mutation(
        "refusalNotRepeated",
        "The server forgets which offers it refused, and says that it took them.",
        Edit(
            f"{SERVER}/Sync/OfferLog.swift",
            "      «»return refused[number].map { .refused($0) } ?? .taken",
            "return .taken",
        ),
    ),
    mutation(
        "sentEntryChanged",
        "The client changes an entry of the outbox that was sent.",
        Edit(f"{SYNC}/Replica/Outbox.swift", "«last.number == nil», last.refusal?.reason", "true"),
    ),
    mutation(
        "replacedCarriedTooFar",
        "A write over one that waits carries on what that one replaced, even if that one was sent.",
        Edit(
            f"{SYNC}/Replica/UnitOfWork+Writing.swift",
            "|| «pending.contains { $0.isRefusedForGood && $0.wrote(current) }»",
            "(pending.contains { $0.isRefusedForGood && $0.wrote(current) } "
            "|| current.stamp.replica == tables.state.replica)",
        ),
    ),
    mutation(
        "sentEntryRestamped",
        "The client stamps writes again that the server may have.",
        Edit(
            f"{SYNC}/Replica/UnitOfWork+Restamping.swift",
            "if let time, «entry.number == nil» {",
            "true",
        ),
    ),
    mutation(
        "restampedBelowReplaced",
        "The client stamps writes again without regard to what they replaced.",
        Edit(f"{SYNC}/Replica/UnitOfWork+Restamping.swift", "    «»let latest = before.map {", "return time"),
    ),
    mutation(
        "renewalMovesTimes",
        "A new identity moves the times of what waits.",
        Edit(f"{SYNC}/Replica/UnitOfWork+Restamping.swift", "return «isGiven» ? next(max(last, time))", "true"),
    ),
    mutation(
        "stepsNotTaken",
        "Whatever follows an accepted stamp is measured by the server's clock all the same.",
        Edit(
            f"{REPLICATION}/ClockSkew.swift",
            "let bound = «HybridTime(rawValue: taken.rawValue + stepLimit)»",
            "HybridTime(server.advanced(by: limitMilliseconds))",
        ),
    ),
    mutation(
        "partsNotKnown",
        "A deletion knows nothing of what its writer held but what it replaced.",
        Edit(f"{REPLICATION}/Register.swift", "replaced == other || «held.contains(other)»", "false"),
    ),
    mutation(
        "partsNotNoted",
        "What comes back to a record that is deleted is not journalled.",
        Edit(
            f"{REPLICATION}/Judgement.swift",
            "(isWritten(register) || «isBack && stored[register.field] != register»)",
            "false",
        ),
    ),
    mutation(
        "everythingJournalled",
        "Every write that lost is journalled, whether or not the winner knew it.",
        Edit(
            f"{REPLICATION}/Register.swift",
            "    «»if replaced == other || held.contains(other) { return true }",
            "return false",
        ),
    ),
    mutation(
        "unwrittenConflicts",
        "Offers that bring nothing new conflict like any other.",
        Edit(f"{REPLICATION}/Judgement.swift", "winner.field == lost.field, «!isJudged» {", "true"),
        Edit(
            f"{REPLICATION}/Judgement.swift",
            "return («offer.canLose(lost.field) || result[lost.field] == record[lost.field]»)",
            "true",
        ),
    ),
    mutation(
        "restoredNotJudged",
        "What a server may have lost is taken in without being compared.",
        Edit(
            f"{REPLICATION}/Offer.swift",
            "    «isRestored» || written.contains(field)\n  }\n",
            "false",
        ),
    ),
    mutation(
        "judgedAgain",
        "The server judges what comes back once more, though it judged it when it went.",
        Edit(f"{REPLICATION}/Judgement.swift", "winner.field == lost.field, «!isJudged» {", "true"),
    ),
    mutation(
        "ownWritesConflict",
        "Writes of one replica conflict with each other.",
        Edit(
            f"{REPLICATION}/Register.swift",
            "guard let replaced, «other.replica == stamp.replica» else",
            "false",
        ),
    ),
    mutation(
        "equalValuesConflict",
        "Two writes of one value conflict.",
        Edit(f"{REPLICATION}/Judgement.swift", "&& «kept.value != lost.value» && !kept.knew", "true"),
    ),
    mutation(
        "hiddenNotJournalled",
        "An offered deletion does not journal the actions that it beats.",
        Edit(f"{REPLICATION}/Judgement.swift", "guard «!stored.isDeleted» else", "false"),
    ),
    mutation(
        "earlierNotJournalled",
        "A deletion journals nothing of what an offer writes.",
        Edit(
            f"{REPLICATION}/Judgement.swift",
            "return («isWritten(register)» || isBack &&",
            "false",
        ),
    ),
    mutation(
        "outlivedNotJournalled",
        "What is gone with a copy that was pruned elsewhere is not journalled.",
        Edit(f"{REPLICATION}/Judgement.swift", "return «outlivedActions()»", "[]"),
    ),
    mutation(
        "deletionNotRestored",
        "Writing back a deletion that lost does not delete.",
        Edit(
            f"{REPLICATION}/Conflict.swift",
            "var isDeletion: Bool {\n    field == Register.deletedField && «lost.value == Register.deletedValue»",
            "false",
        ),
    ),
    mutation(
        "partsListed",
        "The journal lists the parts of an action beside the action.",
        Edit(
            f"{REPLICATION}/Judgement.swift",
            "let actions = losses.filter {\n      «$0.lost.field == Register.deletedField» &&",
            "false",
        ),
    ),
    mutation(
        "conflictsNotReported",
        "A sync does not report the conflicts that it brought.",
        Edit(f"{SYNC}/ExchangeLoop.swift", "run.report.conflicts += «applied.conflicts»", "0"),
    ),
    mutation(
        "otherRefusalsUnreported",
        "A sync that corrects its stamps reports no write that was refused for another reason.",
        Edit(f"{SYNC}/SyncCycle.swift", "run.report.refused -= «run.tooFarAhead»", "run.report.refused"),
    ),
    mutation(
        "restoringForgottenInMemory",
        "Tables in memory remove taken writes that a restoring row still needs.",
        Edit(f"{SYNC}/Replica/MemoryTables.swift", "if «!isKept» { set(numbered.sequence, nil) }", "true"),
    ),
    mutation(
        "undoneFieldLeft",
        "An undo writes no field back.",
        Edit(f"{SYNC}/Replica/UnitOfWork+Undo.swift", "(«before[$0] != nil» || mayLackFields)", "false"),
    ),
    mutation(
        "undoneOverLaterWrite",
        "An undo writes over what was written since.",
        Edit(
            f"{SYNC}/Replica/UnitOfWork+Undo.swift",
            "return «register.value == left.value && (register.stamp == left.stamp || isOwn)»",
            "true",
        ),
    ),
    mutation(
        "entryOfTheWinner",
        "A journal entry holds the record of the side that won.",
        Edit(
            f"{REPLICATION}/Judgement.swift",
            "record: «isOffered» ? record : stored",
            "!isOffered",
        ),
    ),
    mutation(
        "agesByWallClock",
        "What is kept grows old by the server's wall clock.",
        Edit(
            f"{SERVER}/Clock/RetentionClock.swift",
            "«environment.uptime?() ?? wall.milliseconds»",
            "wall.milliseconds",
        ),
    ),
    mutation(
        "agesByServersClock",
        "What is kept in a database grows old by the clock of the server that writes.",
        Edit(f"{SERVER}/Sync/AccountFeed.swift", "self.time = «state.clock ?? time»", "time"),
    ),
    mutation(
        "ownValuesRestored",
        "Writing an entry back does not write what was pruned since.",
        Edit(f"{REPLICATION}/Conflict.swift", "return «own + lacking»", "own"),
    ),
    mutation(
        "prunedTooEarly",
        "The server prunes deleted records at once.",
        Edit(f"{SERVER}/Sync/Record+Due.swift", "taken.advanced(by: «Self.pruningMilliseconds»)", "0"),
    ),
    mutation(
        "notOfferedBeforeItGoes",
        "A replica that learns of a loss does not offer what gives way.",
        Edit(
            f"{SYNC}/Replica/Outbox.swift",
            "    «»guard record.key.kind != .conflict, record.key.kind != .entitlement else { return }",
            "return",
        ),
    ),
    # Several servers on one database.
    mutation(
        "accountNotLocked",
        "A transaction does not lock its accounts.",
        Edit(
            f"{SERVER}/Store/PostgreSQL/PostgresUnitOfWork.swift",
            "locking: «plan.locked», loading",
            "plan.locked.map { _ in [] }",
        ),
    ),
    mutation(
        "repeatNotCommitted",
        "A transaction that changes nothing commits nothing.",
        Edit(
            f"{SERVER}/Store/PostgreSQL/PostgresUnitOfWork.swift",
            "staging.changes, touching: «locked», isolation",
            "[]",
        ),
    ),
    mutation(
        "conflictNotRepeated",
        "What failed because of another transaction is not repeated.",
        Edit(
            f"{SERVER}/Store/PostgreSQL/PostgresUnitOfWork.swift",
            "guard «error.meaning == .conflict», count < attempts",
            "false",
        ),
    ),
    mutation(
        "unknownToldAsDone",
        "A commit whose answer was lost counts as done.",
        Edit(
            f"{SERVER}/Store/PostgreSQL/PostgresLane.swift",
            "      jobs.finish(list, «error»)\n    case .full",
            "nil",
        ),
    ),
    mutation(
        "trustedWhileDeaf",
        "A server that does not hear the others trusts what it remembers.",
        Edit(
            f"{SERVER}/Accounts/CacheTrust.swift",
            "guard let since = «listeningSince()», learned",
            "Instant(nanoseconds: 0)",
        ),
    ),
    mutation(
        "headLowered",
        "A read of an earlier head counts though it ended late.",
        Edit(
            f"{SERVER}/Accounts/AccountState.swift",
            "guard «isLater || head.sequence > known.cursor.sequence» else",
            "head != known.cursor",
        ),
    ),
]
