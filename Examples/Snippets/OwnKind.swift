// SPDX-License-Identifier: Apache-2.0
// The code of the article "Getting started" about kinds that an app brings.

import AtrestClient

// snippet: kind
struct Book: SyncedRecord {
  static let kind = RecordKind(rawValue: 1100)
  var id = RecordUUID.random()
  var title: String
  var page: Int64

  var fields: RecordFields {
    var fields = RecordFields()
    fields[text: 2] = title
    fields[integer: 3] = page
    return fields
  }

  init(title: String, page: Int64 = 0) { (self.title, self.page) = (title, page) }

  init?(id: RecordUUID, fields: RecordFields) {
    guard let title = fields[text: 2] else { return nil }
    (self.id, self.title, page) = (id, title, fields[integer: 3] ?? 0)
  }
}
// snippet: end

/// Books that are kept on all of a person's devices.
enum OwnKind {
  static func use(_ replica: Replica) async throws -> [Book] {
    // snippet: use
    var book = Book(title: "Middlemarch")
    try await replica.save(book)
    book.page = 41
    try await replica.save(book)  // Writes the one field that changed.
    let books = try await replica.records(of: Book.self)
    try await replica.delete(book)
    // snippet: end
    return books
  }

  static func edit(_ replica: Replica, _ shown: Book) async throws {
    // snippet: edit
    var edited = shown  // As it was when the person began to edit it.
    edited.page = 120
    try await replica.save(edited, editedFrom: shown)
    // snippet: end
  }

  static func undo(_ replica: Replica, _ books: [Book]) async throws {
    // snippet: undo
    try await replica.perform { transaction in
      try transaction.action(.edit) {
        for book in books { try transaction.delete(book.key) }
      }
    }
    let undone = try await replica.undo()
    print(undone?.isUndone == true ? "They are back." : "There was nothing to undo.")
    // snippet: end
  }

  static func handleErrors(_ replica: Replica) async {
    // snippet: errors
    do {
      try await replica.save(Book(title: "Persuasion"))
      try await replica.sync()
    } catch let error as SyncError {
      switch error.code {
      case .unreachable: break  // It is in the outbox. Sync again later.
      case .accessEnded: print("Pair this device again.")
      default: print(error.userMessage)
      }
    } catch let error as ReplicaError {
      print(error.userMessage)
    } catch {
      print(error)
    }
    // snippet: end
  }

  static func follow(_ replica: Replica) -> Task<Void, any Error> {
    // snippet: changes
    let showing = Task {
      // Before the first look, so that nothing is missed between the two.
      var changes = replica.changes.makeAsyncIterator()
      repeat {
        print("\(try await replica.records(of: Book.self).count) books")
      } while await changes.next() != nil
    }
    // snippet: end
    return showing
  }
}
