// SPDX-License-Identifier: Apache-2.0
// The replica as the sync engine sees it: one request, one transaction.

import AtrestSync

extension Replica: ReplicaStore {
  /// See `ReplicaStore`.
  package func perform(_ request: StoreRequest) async throws(ReplicaError) -> StoreReply {
    try await offload { () throws(ReplicaError) in try self.perform(request) }
  }

  /// The same, and blocks on the disk. Whatever has nothing to write blocks no writer.
  package func perform(_ request: StoreRequest) throws(ReplicaError) -> StoreReply {
    if request.mayOnlyRead,
      let reply = try read({ try $0.work.replyWithoutWriting(to: request) })
    {
      return reply
    }
    return try write { try $0.work.reply(to: request, pageRecords: pageRecords) }
  }

  /// One read transaction, off the task pool.
  func reading<Value: Sendable>(
    _ body: @escaping @Sendable (ReplicaTransaction) throws -> Value
  ) async throws(ReplicaError) -> Value {
    try await offload { () throws(ReplicaError) in try self.read(body) }
  }

  /// One write transaction, off the task pool.
  func writing<Value: Sendable>(
    _ body: @escaping @Sendable (ReplicaTransaction) throws -> Value
  ) async throws(ReplicaError) -> Value {
    try await offload { () throws(ReplicaError) in try self.write(body) }
  }
}
