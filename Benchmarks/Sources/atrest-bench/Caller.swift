// SPDX-License-Identifier: Apache-2.0
// A paired device without a replica: the plain calls, for measuring the server alone.

import DispatchNet
import Foundation
import GRPC
import Replication
import SyncProtocol
import Transport

/// A device that speaks the protocol and stores nothing.
struct Caller {
  let endpoint: Endpoint
  let metadata: Metadata
  let replica: ReplicaID

  /// Pairs with a fresh account.
  init(_ server: ServerProcess, account: String) async throws {
    let link = try server.addAccount(account)
    guard let code = link.split(separator: "/").last else {
      throw BenchmarkError(description: "not a pairing link: \(link)")
    }
    endpoint = try Endpoint(parsing: server.address)
    let channel = try GRPCChannel(to: endpoint)
    let answer = try await PairResponse(
      decoding: channel.unary(
        Method.pair, PairRequest(code: String(code), deviceName: "bench").encoded))
    await channel.close()
    replica = answer.replica
    var metadata = Metadata()
    metadata.add("authorization", "Bearer \(answer.token)")
    self.metadata = metadata
  }
}
