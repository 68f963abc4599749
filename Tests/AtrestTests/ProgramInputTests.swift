// SPDX-License-Identifier: Apache-2.0
// Where a program keeps its data, and how it finds its arguments.

import AtrestCompanion
import Foundation
import Testing

@testable import AtrestCommandLine
@testable import atrest

@Suite("The folder of the replica", .timeLimit(.minutes(20)))
struct ReplicaDirectoryTests {
  private func path(_ option: String?, _ environment: [String: String]) -> String? {
    ReplicaDirectory.resolve(
      option: option, environment: environment, variable: Atrest.replicaVariable,
      folder: Atrest.replicaFolderName
    )?.path
  }

  @Test("is what was typed, then ATREST_REPLICA, then XDG_DATA_HOME, then the home folder")
  func order() {
    let all = ["ATREST_REPLICA": "/r", "XDG_DATA_HOME": "/x", "HOME": "/h"]
    #expect(path("/o", all) == "/o")
    #expect(path(nil, all) == "/r")
    #expect(path(nil, ["XDG_DATA_HOME": "/x", "HOME": "/h"]) == "/x/atrest")
    #expect(path(nil, ["HOME": "/h"]) == "/h/.local/share/atrest")
  }

  @Test("empty values count as absent, and a relative XDG_DATA_HOME is ignored")
  func odd() {
    let home = "/h/.local/share/atrest"
    #expect(path("", ["ATREST_REPLICA": "", "XDG_DATA_HOME": "", "HOME": "/h"]) == home)
    #expect(path(nil, ["XDG_DATA_HOME": "relative", "HOME": "/h"]) == home)
  }

  @Test("the list of users has the home folder that the environment lacks, if the user has one")
  func users() {
    func folder(_ environment: [String: String], home: String?) -> String? {
      DataHome.folder("x", environment: environment) { home }
    }
    #expect(folder([:], home: "/h") == "/h/.local/share/x")
    #expect(folder(["HOME": ""], home: "/h") == "/h/.local/share/x")
    #expect(folder(["HOME": "relative"], home: "/h") == "/h/.local/share/x")
    #expect(folder(["HOME": "/"], home: nil) == "/.local/share/x")
    #expect(folder([:], home: nil) == nil)
    #expect(folder([:], home: ".") == nil)
    #expect(DataHome.homeOfUser()?.hasPrefix("/") == true)
  }
}

@Suite("The arguments of the process", .timeLimit(.minutes(20)))
struct ProgramArgumentsTests {
  @Test("are the kernel's where Swift finds none, and an error where both have none")
  func fallback() throws {
    let kernel = Data("atrest\0fast\0\0start\0".utf8)
    #expect(try ProgramArguments.typed(["atrest", "now"]) { kernel } == ["now"])
    #expect(try ProgramArguments.typed(["atrest"]) { kernel }.isEmpty)
    #expect(try ProgramArguments.typed([]) { kernel } == ["fast", "", "start"])
    #expect(try ProgramArguments.typed([]) { Data("atrest\0".utf8) }.isEmpty)
    #expect(throws: CommandFailure.self) { try ProgramArguments.typed([]) { nil } }
    #expect(throws: CommandFailure.self) { try ProgramArguments.typed([]) { Data() } }
  }
}
