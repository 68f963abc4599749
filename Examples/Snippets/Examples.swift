// SPDX-License-Identifier: Apache-2.0
// Runs the code that the documentation shows, as far as it needs no server of Atrest Sync.

import Foundation

/// `examples`, or `examples LINK` with the link of an account to join.
@main
struct Examples {
  static func main() async throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("atrest-examples-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let replica = try await GettingStarted.open(folder)
    try await GettingStarted.write(replica)
    try await GettingStarted.readThenWrite(replica)
    try await GettingStarted.resolve(replica)
    try GettingStarted.showRefusals(replica)
    let showing = OwnKind.follow(replica)
    let books = try await OwnKind.use(replica)
    precondition(books.map(\.page) == [41])
    showing.cancel()
    let book = Book(title: "Emma")
    try await replica.save(book)
    try await OwnKind.edit(replica, book)
    try await OwnKind.undo(replica, [book])
    let left = try await replica.records(of: Book.self)
    precondition(left.map(\.page) == [120])
    await OwnKind.handleErrors(replica)
    let shelf = folder.appendingPathComponent("shelf").path
    try await AddCommand.parse(["Emma", "--replica", shelf]).run()
    if CommandLine.arguments.count > 1 {
      try await GettingStarted.pair(replica, with: CommandLine.arguments[1])
      try await GettingStarted.sync(replica)
    }
    try await ServingCalls.callAndServe()
    try await ServingCalls.authorize()
    try await ServingCalls.encrypt()
  }
}
