// SPDX-License-Identifier: Apache-2.0
// The fence around libpq: nothing of C passes it.

import CAtrestPQ
import Dispatch

/// Owns one `PGconn` in non-blocking mode. Confined to its connection's shard.
///
/// No call here waits. `PQconnectStart` resolves no name, because it is given addresses.
/// `PQgetResult` is called only after `PQisBusy` denied that it would wait. `PQfinish` sends
/// Terminate only as far as the socket takes it. Files that the address names, such as
/// certificates, are read at once: they are small and local. libpq sends with MSG_NOSIGNAL, so a
/// server that is gone is an error and no SIGPIPE.
final class PQHandle {
  /// What libpq waits for while it connects.
  enum Progress {
    case reading, writing, connected, failed
  }

  /// One thing that libpq has to say, in the order of the statements that were sent.
  enum Answer {
    case row([PostgresValue], byteCount: Int)
    case unreadable(type: UInt32)
    case completed(command: String)
    case failed(ServerFailure)
    /// The statement was skipped, because one before it in the batch failed.
    case skipped
    case synced
    /// libpq itself failed, and has closed its socket or lost its order.
    case broken
  }

  /// Counts the server's warnings. Their texts are dropped: libpq would print them.
  private final class Notices {
    var warnings = 0
  }

  private let connection: OpaquePointer
  private let notices = Notices()
  private var endsInARow = 0

  /// Begins to connect. Nil if memory is exhausted.
  init?(_ target: PostgresTarget, parameters: [PostgresAddress.Parameter], applicationName: String)
  {
    var words = parameters.filter { $0.keyword != "client_encoding" }.map { ($0.keyword, $0.value) }
    if !target.host.isEmpty { words.append(("host", target.host)) }
    if let address = target.hostAddress { words.append(("hostaddr", address)) }
    words.append(("port", String(target.port)))
    words.append(("client_encoding", "UTF8"))
    // Kerberos asks its servers, and libpq waits for them. Only who wants it has it.
    if !words.contains(where: { $0.0 == "gssencmode" }) { words.append(("gssencmode", "disable")) }
    words.append(("fallback_application_name", applicationName))
    let started = Self.withCStrings(words.map(\.0)) { keywords in
      Self.withCStrings(words.map(\.1)) { values in
        PQconnectStartParams(keywords, values, 0)
      }
    }
    guard let started else { return nil }
    connection = started
    let unretained = Unmanaged.passUnretained(notices).toOpaque()
    PQsetNoticeReceiver(
      connection,
      { notices, result in
        guard let notices, let result else { return }
        let severity = PQresultErrorField(result, CInt(ATREST_PQ_SEVERITY)).map {
          String(cString: $0)
        }
        if severity == "WARNING" {
          Unmanaged<Notices>.fromOpaque(notices).takeUnretainedValue().warnings += 1
        }
      }, unretained)
  }

  deinit {
    PQfinish(connection)
  }

  private static func withCStrings<Result>(
    _ strings: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Result
  ) -> Result {
    var bytes: [CChar] = []
    let starts = strings.map { string in
      defer {
        bytes.append(contentsOf: string.utf8.map { CChar(bitPattern: $0) })
        bytes.append(0)
      }
      return bytes.count
    }
    bytes.append(0)
    return bytes.withUnsafeBufferPointer { all in
      var pointers = starts.map { start in all.baseAddress.map { $0 + start } }
      pointers.append(nil)
      return pointers.withUnsafeBufferPointer { list in
        // Never nil: the list has at least its end.
        guard let base = list.baseAddress else { preconditionFailure("an empty list") }
        return body(base)
      }
    }
  }

  // MARK: Connecting

  /// The socket; nil while there is none. It may be another one after each `connect`, and none
  /// after any call that fails.
  var socket: CInt? {
    let descriptor = PQsocket(connection)
    return descriptor >= 0 ? descriptor : nil
  }

  /// Goes on connecting. Call it first when the socket is writable, then for what it asked for.
  func connect() -> Progress {
    switch PQconnectPoll(connection) {
    case PGRES_POLLING_READING: .reading
    case PGRES_POLLING_WRITING: .writing
    case PGRES_POLLING_OK: .connected
    default: .failed
    }
  }

  /// Switches to non-blocking pipelining. Once, when connected. False if the connection is lost.
  func beginPipeline() -> Bool {
    PQsetnonblocking(connection, 1) == 0 && PQenterPipelineMode(connection) == 1
  }

  /// Why the connection failed, on one line. libpq names host, user and database, no password.
  var problem: String {
    let text = PQerrorMessage(connection).map { PostgresText.line(String(cString: $0)) } ?? ""
    return text.isEmpty ? "the server closed the connection" : text
  }

  // MARK: Sending

  /// Queues a batch and its Sync, and sends what the socket takes at once. False: it failed, and
  /// what was sent of the batch is not known.
  func send(_ statements: [PostgresStatement]) -> Bool {
    for statement in statements where !send(statement) { return false }
    takeRowsSingly()  // Has an effect if the first of them is the next to be answered.
    return PQpipelineSync(connection) == 1
  }

  private func send(_ statement: PostgresStatement) -> Bool {
    var bytes: [UInt8] = []
    var starts: [Int?] = []
    var lengths: [CInt] = []
    for value in statement.parameters {
      let start = bytes.count
      value.append(to: &bytes)
      starts.append(value == .null ? nil : start)
      lengths.append(CInt(clamping: bytes.count - start))
    }
    // A pointer of nil says null, so that of an empty value must not be.
    bytes.append(0)
    let count = CInt(starts.count)
    let formats = [CInt](repeating: 1, count: starts.count)
    return bytes.withUnsafeBytes { raw in
      let base = raw.baseAddress?.assumingMemoryBound(to: CChar.self)
      let values = starts.map { start in start.flatMap { start in base.map { $0 + start } } }
      switch statement.text {
      case .unnamed(let sql):
        let types = statement.parameters.map { Oid($0.type?.rawValue ?? 0) }
        return PQsendQueryParams(connection, sql, count, types, values, lengths, formats, 1) == 1
      case .prepared(let prepared):
        return PQsendQueryPrepared(
          connection, prepared.name, count, values, lengths, formats, 1) == 1
      case .preparation(let prepared):
        let types = prepared.parameters.map { Oid($0.rawValue) }
        return PQsendPrepare(
          connection, prepared.name, prepared.sql, CInt(types.count), types) == 1
      }
    }
  }

  /// Sends what the socket takes. A full socket makes libpq read as well, so answers may have come.
  /// - Returns: Whether something is left, for which the socket must become writable; nil if the
  ///   connection is lost.
  func flush() -> Bool? {
    switch PQflush(connection) {
    case 0: false
    case 1: true
    default: nil
    }
  }

  /// Asks the server to give up what it does for this session, which then answers.
  ///
  /// libpq asks on a connection of its own, and blocks for as long as that takes to be opened: so
  /// on a thread of its own.
  func cancel() {
    guard let cancel = PQgetCancel(connection) else { return }
    let request = CancelRequest(cancel)
    DispatchQueue.global(qos: .utility).async { request.send() }
  }

  // MARK: Receiving

  /// Reads what the socket has. False if the connection is lost; what came before is answered.
  func receive() -> Bool {
    guard PQconsumeInput(connection) == 1 else { return false }
    // Of an encrypted record of more than 8 KiB, which servers send from PostgreSQL 17 on, libpq
    // may leave a part unread, and the socket does not show it. A second call has room for it.
    guard PQsslInUse(connection) == 1 || PQgssEncInUse(connection) == 1 else { return true }
    return PQconsumeInput(connection) == 1
  }

  /// Asks for the current statement's rows one by one, so that they can be counted. libpq takes it
  /// before it has read of the statement's answer, and forgets it with each statement.
  private func takeRowsSingly() {
    _ = PQsetSingleRowMode(connection)
  }

  /// The next answer; nil if it has not arrived. Call it only while an answer is due.
  func nextAnswer() -> Answer? {
    while PQisBusy(connection) == 0 {
      guard let result = PQgetResult(connection) else {
        // Each statement's answer ends with one nil. Two of them: nothing is due any more.
        endsInARow += 1
        if endsInARow > 1 { return .broken }
        takeRowsSingly()
        continue
      }
      defer { PQclear(result) }
      endsInARow = 0
      switch PQresultStatus(result) {
      case PGRES_SINGLE_TUPLE: return row(result)
      case PGRES_TUPLES_OK where PQntuples(result) == 0, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY:
        return .completed(command: PQcmdStatus(result).map { String(cString: $0) } ?? "")
      case PGRES_PIPELINE_SYNC:
        takeRowsSingly()
        return .synced
      case PGRES_PIPELINE_ABORTED: return .skipped
      case PGRES_FATAL_ERROR:
        // Without a SQLSTATE it is libpq's own, and what the server said last has come before it.
        guard let state = field(ATREST_PQ_SQLSTATE, of: result) else { return .broken }
        return .failed(
          ServerFailure(
            sqlState: state, isFatal: field(ATREST_PQ_SEVERITY, of: result) != "ERROR",
            message: field(ATREST_PQ_MESSAGE, of: result) ?? ""))
      default: return .broken  // COPY, or rows that were not asked for singly.
      }
    }
    return nil
  }

  private func field(_ code: Int, of result: OpaquePointer) -> String? {
    PQresultErrorField(result, CInt(code)).map { String(cString: $0) }
  }

  private func row(_ result: OpaquePointer) -> Answer {
    var values: [PostgresValue] = []
    var byteCount = 0
    for column in 0..<PQnfields(result) {
      let type = PQftype(result, column)
      if PQgetisnull(result, 0, column) == 1 {
        values.append(.null)
        continue
      }
      let bytes = UnsafeRawBufferPointer(
        start: PQgetvalue(result, 0, column), count: Int(PQgetlength(result, 0, column)))
      guard let value = PostgresValue(bytes, type: type) else { return .unreadable(type: type) }
      values.append(value)
      byteCount += bytes.count
    }
    // What a value takes besides its bytes: many empty ones are memory, too.
    return .row(values, byteCount: byteCount + values.count * MemoryLayout<PostgresValue>.stride)
  }

  /// Whether the server warned since the last call.
  func takeWarning() -> Bool {
    defer { notices.warnings = 0 }
    return notices.warnings > 0
  }

  /// The next notification that has arrived.
  func nextNotification() -> PostgresNotification? {
    guard let raw = PQnotifies(connection) else { return nil }
    defer { PQfreemem(raw) }
    return PostgresNotification(
      channel: String(cString: raw.pointee.relname), payload: String(cString: raw.pointee.extra))
  }

  /// The version, as 150018 for 15.18; 0 if the connection is lost.
  var serverVersion: Int { Int(PQserverVersion(connection)) }
}

/// Owns one `PGcancel`, which is a copy of what its connection knows of the server.
private final class CancelRequest: @unchecked Sendable {
  // Sendable: libpq allows it from any thread, and one alone uses it.
  private let cancel: OpaquePointer

  init(_ cancel: OpaquePointer) { self.cancel = cancel }

  deinit { PQfreeCancel(cancel) }

  /// Failures are not told: whoever waits has a deadline.
  func send() {
    var message = [CChar](repeating: 0, count: 256)
    _ = PQcancel(cancel, &message, CInt(message.count))
  }
}

/// What a session said to its listeners with NOTIFY.
package struct PostgresNotification: Equatable, Sendable {
  package let channel: String
  /// At most 8,000 bytes.
  package let payload: String
}
