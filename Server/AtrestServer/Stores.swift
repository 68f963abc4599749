// SPDX-License-Identifier: Apache-2.0
// Opens the stores of a server: a SQLite file of its own, or the databases of its cells.

import AtrestPostgreSQL

/// The open stores of a server.
struct Stores: Sendable {
  /// Ascending by cell; at least one.
  let backends: [Backend]
  /// Locked while the server runs; nil where the store itself locks it.
  private let directory: DataDirectory?

  /// Opens all stores, or none. A database may be away: it is served when it is back.
  static func open(_ configuration: Server.Configuration) async throws(StoreError) -> Stores {
    guard !configuration.databases.isEmpty else {
      return Stores(backends: [try Backend.file(configuration)], directory: nil)
    }
    // For the owner's socket and the server's key.
    let directory = try DataDirectory(path: configuration.dataDirectory)
    var backends: [Backend] = []
    do throws(StoreError) {
      for (cell, address) in configuration.databases.sorted(by: { $0.key < $1.key }) {
        backends.append(try await Backend.database(address, as: cell, configuration))
      }
    } catch {
      await Stores(backends: backends, directory: directory).close()
      throw error
    }
    return Stores(backends: backends, directory: directory)
  }

  /// Finishes the queued jobs and closes the stores.
  func close() async {
    for backend in backends { await backend.queue.close() }
    directory?.unlock()
  }
}
