// SPDX-License-Identifier: Apache-2.0
// The Server service: what the server says of itself.

import AtrestDomain
import AtrestHTTP2
import AtrestProtocol
import AtrestRPC
import AtrestReplication
import AtrestWire

extension Cell {
  /// Answers from memory: the same for every account.
  func serverInfo(_ bytes: [UInt8], now: WallTime) throws(Status) -> UnaryOutcome {
    _ = try decoded(EmptyMessage.self, bytes)
    var capabilities: [ServerInfo.Capability] = [.reconcile, .approval]
    if entitlements.verifies { capabilities.append(.purchases) }
    return .reply(
      ServerInfoResponse(
        version: ProgramVersion.text, serverTime: now, limits: accounts.limits,
        capabilities: capabilities
      ).packed)
  }
}
