// SPDX-License-Identifier: Apache-2.0
// The replicas that a command opened.

import AtrestClient
import Synchronization

/// Every replica of this process. They keep their connections, which a command closes in good order
/// before it ends.
enum OpenReplicas {
  private static let replicas = Mutex<[Replica]>([])

  static func add(_ replica: Replica) { replicas.withLock { $0.append(replica) } }

  /// Closes the connections, then the files.
  static func close() async {
    let opened = replicas.withLock { replicas in
      defer { replicas = [] }
      return replicas
    }
    for replica in opened { await replica.disconnect() }
  }
}
