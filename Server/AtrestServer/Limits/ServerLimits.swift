// SPDX-License-Identifier: Apache-2.0
// Every limit that an operator can change, with name, range and meaning. The only list of them.

import AtrestHTTP2
import AtrestRPC

/// The limits of a server. ``table`` describes them for people.
package struct ServerLimits: Sendable {
  /// The limits of each connection.
  package var transport = Limits.default
  /// Connections in all.
  package var connections = 10_000
  /// Connections per IPv4 address or IPv6 /64.
  package var connectionsPerAddress = 1_000
  /// Connections without an authenticated call.
  package var maxUnauthenticatedConnections = 1_500
  /// Connections per address whose TLS or HTTP/2 handshake is incomplete.
  package var maxHandshakesPerAddress = 200
  /// Open calls per device.
  package var callsPerDevice = 100
  /// Questions to reflection per minute and IPv4 address or IPv6 /64. 0: none is answered.
  package var questionsPerAddress = 300
  /// Bytes buffered for the peers of all connections.
  package var maxBufferedBytes = 24 * 1024 * 1024
  /// Bytes that a stream's writer buffers beyond its connection's buffer.
  package var streamBacklogBytes = 256 * 1024

  /// The quota of each account.
  package var quota = AccountQuota.standard

  /// Names from before 1.0, accepted for one more version.
  package static let formerNames: [String: String] = [
    "account-records": "max-account-records",
    "account-bytes": "max-account-bytes",
    "connections": "max-connections",
    "connections-per-address": "max-connections-per-address",
    "connections-without-token": "max-unauthenticated-connections",
    "greetings-per-address": "max-handshakes-per-address",
    "handshake-time": "handshake-timeout",
    "first-request-time": "first-request-timeout",
    "idle-time": "idle-timeout",
    "keepalive-time": "keepalive-timeout",
    "calls-per-connection": "max-calls-per-connection",
    "calls-per-device": "max-calls-per-device",
    "message-bytes": "max-message-bytes",
    "inflate-ratio": "max-inflate-ratio",
    "header-bytes": "max-header-bytes",
    "header-fields": "max-header-fields",
    "unfinished-bytes": "max-unfinished-bytes",
    "unsent-bytes": "max-unsent-bytes",
    "stream-bytes": "max-stream-bytes",
    "stream-backlog-bytes": "max-stream-backlog-bytes",
    "held-bytes": "max-buffered-bytes",
    "request-stall": "request-stall-timeout",
    "request-time": "request-timeout",
    "write-stall": "write-stall-timeout",
    "resets": "max-resets",
    "errors": "max-errors",
    "idle-frames": "max-idle-frames",
    "queued-frames": "max-queued-frames",
    "ping-strikes": "max-ping-strikes",
    "ping-interval": "min-ping-interval",
    "idle-ping-interval": "min-idle-ping-interval",
  ]

  /// The defaults.
  package init() {}

  func apply(to configuration: inout GRPCServer.Configuration) {
    configuration.limits = transport
    configuration.maxConnections = connections
    configuration.maxConnectionsPerPeer = connectionsPerAddress
    configuration.maxUnauthenticatedConnections = maxUnauthenticatedConnections
    configuration.maxHandshakesPerPeer = maxHandshakesPerAddress
    configuration.maxCallsPerGrant = callsPerDevice
    configuration.maxBufferedBytes = maxBufferedBytes
    configuration.streamWriterBytes = streamBacklogBytes
  }

  /// The limits in the order of the documentation. To add one, add a property above, a row here,
  /// and a row to `docs/operate/limits.md`.
  package static let table: [LimitOption] = [
    .count(
      "max-account-records", \.quota.records, 1...1_000_000_000,
      "Records of one account, deleted ones and the journal included. What is new beyond it waits on its device."
    ),
    .bytes(
      "max-account-bytes", \.quota.bytes, 1...(1 << 50),
      "Bytes of those records. What makes a record no longer, and deletions, are taken all the same."
    ),
    .count(
      "max-connections", \.connections, 16...1_000_000,
      "Connections in all. Each takes a file descriptor and about 18 KiB, with TLS 40 KiB."),
    .count(
      "max-connections-per-address", \.connectionsPerAddress, 1...1_000_000,
      "Connections of one IPv4 address or IPv6 /64. Behind a proxy all devices have the proxy's address."
    ),
    .count(
      "max-unauthenticated-connections", \.maxUnauthenticatedConnections, 8...1_000_000,
      "Connections on which no call had a right token. When there are so many, the oldest of them is cut for a new one."
    ),
    .count(
      "max-handshakes-per-address", \.maxHandshakesPerAddress, 1...1_000_000,
      "Connections of one address that have not completed the TLS and HTTP/2 handshakes."),
    .time(
      "handshake-timeout", \.transport.handshakeTimeout, 1...300,
      "For the TLS handshake, and again for the HTTP/2 handshake."),
    .time(
      "first-request-timeout", \.transport.firstRequestTimeout, 1...3600,
      "From the end of the handshakes to the first request."),
    .time(
      "idle-timeout", \.transport.idleConnection, 10...604_800,
      "How long a connection may be without a call."),
    .time(
      "keepalive-interval", \.transport.keepaliveInterval, 5...86_400,
      "Silence after which the server asks whether the peer is still there."),
    .time(
      "keepalive-timeout", \.transport.keepaliveTimeout, 1...3600,
      "How long the peer may take to answer."),
    .count(
      "max-calls-per-connection", \.transport.maxConcurrentStreams, 1...10_000,
      "Calls open at once on a connection."),
    .count(
      "max-calls-per-device", \.callsPerDevice, 10...10_000,
      "Calls of one device that are not answered yet, Watch streams included."),
    .count(
      "max-questions-per-address", \.questionsPerAddress, 0...6_000,
      "Questions of one address to gRPC reflection: so many at once, and as many again in each minute; ten times as many of all together. 0: there is no reflection."
    ),
    .bytes(
      "max-message-bytes", \.transport.maxMessageBytes, (272 << 10)...(16 << 20),
      "One request, compressed and again unpacked. What needs no token has 4 KiB."),
    .count(
      "max-inflate-ratio", \.transport.maxInflateRatio, 10...1032,
      "How many bytes one compressed byte may become."),
    .bytes(
      "max-header-bytes", \.transport.maxHeaderListBytes, (4 << 10)...(64 << 10),
      "The fields of a request's headers."),
    .count("max-header-fields", \.transport.maxHeaderCount, 16...1000, "How many fields they are."),
    .bytes(
      "max-unfinished-bytes", \.transport.maxUnfinishedBytes, (1 << 20)...(1 << 30),
      "Requests of a connection that have not arrived whole. The call that takes it further is RESOURCE_EXHAUSTED."
    ),
    .bytes(
      "max-unsent-bytes", \.transport.maxUnsentBytes, (1 << 20)...(1 << 30),
      "Answers of a connection that its peer has not read. Further ones are RESOURCE_EXHAUSTED."),
    .bytes(
      "max-stream-bytes", \.transport.streamQueueBytes, (64 << 10)...(64 << 20),
      "Messages of one stream that wait in its connection."),
    .bytes(
      "max-stream-backlog-bytes", \.streamBacklogBytes, (64 << 10)...(64 << 20),
      "Messages of one stream that wait behind those. A reader that lags further behind is cut, and calls again."
    ),
    .bytes(
      "max-buffered-bytes", \.maxBufferedBytes, (20 << 20)...(1 << 40),
      "What all connections together hold of unfinished requests and unread answers; at least 10 MiB for each processor. Beyond it connections are cut of accounts that hold most for longest, on however many of them; those without a right token first, by address."
    ),
    .time(
      "request-stall-timeout", \.transport.requestStall, 1...3600,
      "How long a request that has begun may make no progress."),
    .time(
      "request-timeout", \.transport.requestTimeout, 2...86_400,
      "From the first byte of a request to its last, however steadily it comes."),
    .time(
      "write-stall-timeout", \.transport.writeStall, 1...3600,
      "How long an answer may wait for a peer that reads nothing."),
    .count(
      "max-resets", \.transport.maxPeerResets, 10...1_000_000,
      "Calls that a peer may take back within a minute (CVE-2023-44487)."),
    .count(
      "max-errors", \.transport.maxOwnResets, 10...1_000_000,
      "Calls that the server had to reset within a minute (CVE-2025-8671)."),
    .count(
      "max-idle-frames", \.transport.maxIdleFrames, 100...1_000_000,
      "Frames within a minute that bring nothing, beyond those that go with calls."),
    .count(
      "max-queued-frames", \.transport.maxQueuedFrames, 500...1_000_000,
      "Frames that wait to be sent before nothing more is read."),
    .count(
      "max-ping-strikes", \.transport.maxPingStrikes, 0...1000,
      "Pings that come too soon before a peer is sent away."),
    .time(
      "min-ping-interval", \.transport.minimumPingInterval, 0...3600,
      "The least time between pings while calls are open."),
    .time(
      "min-idle-ping-interval", \.transport.minimumIdlePingInterval, 0...86_400,
      "The least time between pings without a call."),
  ]
}
