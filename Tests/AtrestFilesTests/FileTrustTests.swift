// SPDX-License-Identifier: Apache-2.0
// Which folders and files other users can change.

import Foundation
import Testing

@testable import AtrestFiles

@Suite("What others can change", .timeLimit(.minutes(20)))
struct FileTrustTests {
  @Test("this user's and the superuser's are trusted, unless every user may write to them")
  func objections() {
    func objection(_ owner: uid_t, _ mode: mode_t, to user: uid_t = 1000) -> String? {
      FileTrust.objection(owner: owner, mode: mode, to: user)
    }
    for mode: mode_t in [0o700, 0o755, 0o775] {
      #expect(objection(1000, mode) == nil && objection(0, mode) == nil)
      #expect(objection(1001, mode) == "it belongs to another user")
      #expect(objection(1001, mode, to: 0) == nil, "the superuser looks after others' folders")
    }
    // The folder for temporary files, whose sticky bit keeps others from removing, not from adding.
    for (owner, user): (uid_t, uid_t) in [(1000, 1000), (0, 1000), (0, 0), (1001, 0)] {
      #expect(objection(owner, 0o1777, to: user) == "every user may write to it")
    }
  }

  @Test("a settings file that every user may change is not read, where that is asked for")
  func file() throws {
    let path = NSTemporaryDirectory() + "trust-\(UUID().uuidString)"
    defer { unlink(path) }
    try Data("a".utf8).write(to: URL(fileURLWithPath: path))
    #expect(FileTrust.objection(to: path) == nil && FileTrust.objection(to: path + "x") == nil)
    #expect(try SmallFile.read(path, limitBytes: 9, isTrusted: true) == [0x61])
    #expect(chmod(path, 0o666) == 0)
    #expect(throws: SmallFileProblem.untrusted("every user may write to it")) {
      try SmallFile.read(path, limitBytes: 9, isTrusted: true)
    }
    #expect(try SmallFile.read(path, limitBytes: 9) == [0x61])
  }
}
