// SPDX-License-Identifier: Apache-2.0
// What a server measures of itself, in swift-metrics.

import AtrestRPC
import AtrestReplication
import CoreMetrics
import Synchronization

/// A server's metrics: what is counted as it happens, and gauges that are set when somebody looks.
package final class ServerMetrics: Sendable {
  let calls: CallMetrics
  let store: StoreMetrics
  private let answers: [String: Counter]
  private let connections: [String: Gauge]
  private let activeCalls: Gauge
  private let failedHandshakes: Counter
  /// What was counted of `failedHandshakes`.
  private let toldFailures = Mutex(0)
  private let heldBytes: Gauge
  private let connectionBytes: Gauge
  private let queueBytes: Gauge
  private let watchers: Gauge
  private let accounts: Gauge
  private let devices: Gauge
  private let diskFreeBytes: Gauge
  private let certificateEnd: Gauge
  private let isServing: Gauge
  private let writeSilence: Gauge
  private let unusableStores: Gauge
  private let deafStores: Gauge
  private let timelines: @Sendable (CellNumber) -> Gauge
  private let clockIsDoubtful: Gauge

  /// What each metric means, by its name.
  package static let help: [String: String] = [
    "grpc_server_handled_total": "Calls that ended, by method and status code.",
    "grpc_server_handling_seconds":
      "From a call's headers to its status. Of Watch, the life of a stream.",
    "atrest_web_answers_total": "Answers to browsers that are not calls', by HTTP status.",
    "atrest_commit_seconds": "Transactions, from their first job to their durability.",
    "atrest_commit_jobs": "Jobs in one transaction.",
    "atrest_commit_account_share": "The largest part of a transaction's jobs that one account had.",
    "atrest_sums_lookups_total":
      "Whether an account's sums were in memory when a pull needed them.",
    "atrest_store_errors_total": "Transactions that failed, by what failed.",
    "atrest_connections": "Open connections of devices, by state.",
    "atrest_active_calls": "Calls of devices that have begun and not ended, streams among them.",
    "atrest_failed_handshakes_total": "TLS handshakes that failed, were cut off or timed out.",
    "atrest_held_bytes":
      "Bytes that peers make connections buffer; max-buffered-bytes bounds them.",
    "atrest_connection_bytes": "Fixed memory of all connections.",
    "atrest_queue_bytes": "Bytes of the jobs that wait for the store.",
    "atrest_watchers": "Open streams of changes.",
    "atrest_accounts":
      "Accounts in memory: all of them, or of a shared store those that called last.",
    "atrest_devices": "Devices in memory, like accounts.",
    "atrest_disk_free_bytes": "Free bytes of the data folder's disk; writes end below 48 MiB.",
    "atrest_certificate_end_seconds": "The end of the certificate's validity, since 1970.",
    "atrest_serving": "1 while the store can be used and the server is not stopping.",
    "atrest_write_silence_seconds":
      "How long writes to a database have gone without an acknowledgement.",
    "atrest_unusable_stores": "Stores that take no calls: one of several, or the only one.",
    "atrest_deaf_stores": "Databases at which other daemons are not heard.",
    "atrest_database_timeline": "The timeline of the primary in use, by cell: promotions raise it.",
    "atrest_clock_doubtful": "1 while the server's clock cannot be relied on.",
  ]

  /// Upper bounds of the buckets of shares.
  package static let bounds: [String: [Double]] = [
    "atrest_commit_account_share": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1]
  ]

  package init(factory: any MetricsFactory) {
    func gauge(_ label: String, _ dimensions: [(String, String)] = []) -> Gauge {
      Gauge(label: label, dimensions: dimensions, factory: factory)
    }
    calls = CallMetrics(factory: factory)
    store = StoreMetrics(factory: factory)
    answers = Dictionary(
      uniqueKeysWithValues: ["200", "304", "403", "404", "405", "415", "431"].map {
        let status = [("status", $0)]
        return (
          $0, Counter(label: "atrest_web_answers_total", dimensions: status, factory: factory)
        )
      })
    connections = Dictionary(
      uniqueKeysWithValues: ["handshaking", "unauthenticated", "authenticated"].map {
        ($0, gauge("atrest_connections", [("state", $0)]))
      })
    activeCalls = gauge("atrest_active_calls")
    failedHandshakes = Counter(
      label: "atrest_failed_handshakes_total", dimensions: [], factory: factory)
    heldBytes = gauge("atrest_held_bytes")
    connectionBytes = gauge("atrest_connection_bytes")
    queueBytes = gauge("atrest_queue_bytes")
    watchers = gauge("atrest_watchers")
    accounts = gauge("atrest_accounts")
    devices = gauge("atrest_devices")
    diskFreeBytes = gauge("atrest_disk_free_bytes")
    certificateEnd = gauge("atrest_certificate_end_seconds")
    isServing = gauge("atrest_serving")
    writeSilence = gauge("atrest_write_silence_seconds")
    unusableStores = gauge("atrest_unusable_stores")
    deafStores = gauge("atrest_deaf_stores")
    timelines = {
      Gauge(
        label: "atrest_database_timeline", dimensions: [("cell", "\($0)")], factory: factory)
    }
    clockIsDoubtful = gauge("atrest_clock_doubtful")
  }

  /// Counts an answer that is not a call's.
  func answered(_ status: String) { answers[status]?.increment() }

  /// Sets the gauges.
  func set(_ report: ServerReport) {
    let calls = report.calls
    connections["handshaking"]?.record(calls.handshakingConnections)
    connections["unauthenticated"]?.record(
      max(0, calls.unauthenticatedConnections - calls.handshakingConnections))
    connections["authenticated"]?.record(
      max(0, calls.activeConnections - calls.unauthenticatedConnections))
    activeCalls.record(calls.activeCalls)
    let news = toldFailures.withLock { told in
      defer { told = max(told, calls.failedHandshakes) }
      return max(0, calls.failedHandshakes - told)
    }
    failedHandshakes.increment(by: news)
    heldBytes.record(report.heldBytes)
    connectionBytes.record(report.connectionBytes)
    queueBytes.record(report.queueBytes)
    watchers.record(report.watchers)
    accounts.record(report.accounts)
    devices.record(report.devices)
    if let free = report.diskFreeBytes { diskFreeBytes.record(free) }
    if let end = report.certificateEnd { certificateEnd.record(end) }
    isServing.record(report.isServing ? 1 : 0)
    writeSilence.record(report.writeSilence / .seconds(1))
    unusableStores.record(report.unusableStores)
    deafStores.record(report.deafStores)
    for (cell, timeline) in report.timelines { timelines(cell).record(Int64(timeline)) }
    clockIsDoubtful.record(report.isClockDoubtful ? 1 : 0)
  }
}
