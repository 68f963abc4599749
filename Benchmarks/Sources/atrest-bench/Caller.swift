// SPDX-License-Identifier: Apache-2.0
// A paired device without a replica: raw calls, for measuring the server alone.

import AtrestClient
import AtrestHTTP2
import AtrestRPC
import AtrestReplication
import AtrestSockets
import AtrestTLS
import AtrestWire
import Foundation

/// A device that speaks the protocol and stores nothing.
struct Caller {
  let endpoint: Endpoint
  /// The trusted certificate; nil for a plaintext daemon.
  let trust: ClientTrust?
  private let tls: ClientTLS?
  let metadata: Metadata
  let replica: ReplicaID

  /// Pairs with a new account.
  ///
  /// - Parameter place: The endpoint, if not the link's: for a proxy.
  init(_ server: ServerProcess, account: String, at place: String? = nil) async throws {
    let link = try PairingLink(parsing: server.addAccount(account))
    endpoint = try Endpoint(parsing: place ?? link.server.endpoint)
    switch link.server.proof {
    case .none: trust = nil
    case .certificate(let fingerprint): trust = .pinned(fingerprint)
    case .authority: throw BenchmarkError(description: "the daemon has no certificate of its own")
    }
    tls = try trust.map { try ClientTLS($0) }
    var configuration = GRPCChannel.Configuration()
    configuration.tls = tls
    let channel = try GRPCChannel(to: endpoint, configuration: configuration)
    let answer = try await PairResponse(
      decoding: channel.unary(
        Method.Devices.pair, PairRequest(code: link.code, deviceName: "bench").encoded))
    await channel.close()
    replica = answer.replica
    var metadata = Metadata()
    metadata.add("authorization", "Bearer \(answer.token)")
    self.metadata = metadata
  }

  /// A device that is in the store already.
  ///
  /// - Parameters:
  ///   - other: A caller of a daemon with the same certificate.
  ///   - address: The daemon's.
  ///   - token: The bearer token: the replica's number and 32 secret bytes, in hexadecimal.
  init(like other: Caller, at address: String, replica: ReplicaID, token: String) throws {
    endpoint = try Endpoint(parsing: address)
    (trust, tls) = (other.trust, other.tls)
    self.replica = replica
    var metadata = Metadata()
    metadata.add("authorization", "Bearer \(token)")
    self.metadata = metadata
  }

  /// The same device at another daemon.
  init(_ other: Caller, at address: String) throws {
    endpoint = try Endpoint(parsing: address)
    (trust, tls, metadata, replica) = (other.trust, other.tls, other.metadata, other.replica)
  }

  /// A new connection, opened by its first call.
  ///
  /// - Parameter isUnauthenticated: Whether to make a full handshake, as a newly started program
  ///   does. Otherwise the connection resumes an earlier TLS session.
  func channel(
    compression: Compression? = nil, shard: Shard? = nil, isUnauthenticated: Bool = false
  ) throws -> GRPCChannel {
    var configuration = GRPCChannel.Configuration()
    configuration.tls = isUnauthenticated ? try trust.map { try ClientTLS($0) } : tls
    configuration.compression = compression
    return try GRPCChannel(to: endpoint, configuration: configuration, shard: shard)
  }

  /// The account's current head.
  func head() async throws -> Cursor? {
    let channel = try channel()
    let answer = try await channel.unary(
      Method.Sync.exchange, ExchangeRequest(cursor: nil).encoded, metadata: metadata)
    await channel.close()
    return try ExchangeResponse(decoding: answer).cursor
  }
}
