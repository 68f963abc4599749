// SPDX-License-Identifier: Apache-2.0
// A replica on a disk that may not be written: it can be looked at, and a write says why not.

import AtrestDomain
import AtrestReplication
import AtrestSync
import AtrestTestSupport
import Foundation
import Testing

@testable import AtrestClient

@Suite("A replica that may not be written", .timeLimit(.minutes(20)))
struct LookingTests {
  private let folder: Folder

  init() throws { folder = try Folder() }

  /// A link to itself in the place of SQLite's shared memory keeps the replica from being opened
  /// for writing, whoever runs the test: for root no permission does.
  private func obstruct() throws {
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("replica.sqlite-shm"), withDestinationPath: "replica.sqlite-shm")
  }

  @Test("is opened by those who only look, who find everything in it")
  func looks() throws {
    let entry = try WaterEntry.sample()
    do {
      let replica = try Replica(directory: folder.url)
      try replica.save(entry)
    }
    try obstruct()
    let refused = #expect(throws: ReplicaError.self) { try Replica(directory: folder.url) }
    #expect(refused?.userMessage.contains("it may not be written here") == true)
    let replica = try Replica(directory: folder.url, clock: SystemClock(), looking: true)
    #expect(try replica.water() == [entry] && !replica.isWritable)
    #expect(try replica.export(stamps: false, since: nil).0.isEmpty == false)
    let write = #expect(throws: ReplicaError.self) { try replica.save(WaterEntry.sample()) }
    #expect(write == refused)
    #expect(try replica.water() == [entry])
  }

  @Test("is not made where there is none, and damage is not looked past")
  func refuses() throws {
    try obstruct()
    try Data(repeating: 7, count: 4096).write(
      to: URL(fileURLWithPath: folder.path("replica.sqlite")))
    let error = #expect(throws: ReplicaError.self) {
      try Replica(directory: folder.url, clock: SystemClock(), looking: true)
    }
    #expect(error?.code == .inaccessible || error?.code == .damaged)
  }
}
