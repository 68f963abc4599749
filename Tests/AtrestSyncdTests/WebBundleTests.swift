// SPDX-License-Identifier: Apache-2.0
// Specifies which files of a built web app are served, and which folder is refused.

import AtrestCommandLine
import Foundation
import Testing

@testable import atrest_syncd

@Suite("The web app's files", .timeLimit(.minutes(20)))
struct WebBundleTests {
  private static let page = Array("<p>Atrest</p>".utf8)

  private static func entry(
    path: String = "/", file: String = "index.html", hash: String? = nil,
    more: String = #", "type": "text/html""#
  ) -> String {
    let hash = hash ?? WebBundle.hash(page)
    return #"{"path": "\#(path)", "file": "\#(file)", "sha256": "\#(hash)"\#(more)}"#
  }

  private static func list(_ entries: String...) -> [UInt8] {
    Array(#"{"assets": [\#(entries.joined(separator: ", "))]}"#.utf8)
  }

  private func withFolder(_ list: [UInt8]?, _ body: (String) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: folder) }
    try Data(Self.page).write(to: folder.appending(path: "index.html"))
    if let list { try Data(list).write(to: folder.appending(path: WebBundle.listName)) }
    try body(folder.path)
  }

  private func problem(_ list: [UInt8]?) throws -> String? {
    var sentence: String?
    try withFolder(list) { folder in
      do { _ = try WebBundle(directory: folder) } catch let failure as CommandFailure {
        sentence = failure.sentence
      }
    }
    return sentence
  }

  @Test("a folder is read as its list says")
  func folder() throws {
    let list = Self.list(
      Self.entry(), Self.entry(path: "/a", more: #", "type": "text/html", "immutable": true"#))
    try withFolder(list) { folder in
      let files = try WebBundle(directory: folder).files
      #expect(files.map(\.path) == ["/", "/a"])
      #expect(files.map(\.isImmutable) == [false, true])
      #expect(files.allSatisfy { $0.bytes == Self.page && $0.contentType == "text/html" })
      #expect(files[0].tag.count == 32)
    }
  }

  @Test("a file that is another one than the list says is refused, by name")
  func stale() throws {
    let sentence = try problem(Self.list(Self.entry(hash: String(repeating: "0", count: 64))))
    #expect(sentence?.contains("index.html is another one than assets.json lists.") == true)
    #expect(sentence?.contains("Scripts/build-web") == true)
  }

  @Test("a missing list, and a missing file, are said")
  func missing() throws {
    #expect(try problem(nil)?.contains("assets.json cannot be read") == true)
    let absent = Self.list(Self.entry(file: "absent.js"))
    #expect(try problem(absent)?.contains("absent.js cannot be read") == true)
  }

  @Test(
    "a name outside the folder, a hidden one, and a list with anything wrong are refused",
    arguments: [
      entry(file: "../index.html"), entry(file: "/etc/passwd"), entry(file: "a/../../b"),
      entry(file: ".git"), entry(file: ""), entry(path: "index.html"),
      entry(path: #"/\r\nx: y"#), entry(more: #", "type": "text/html\r\nx: y""#), entry(more: ""),
      entry(hash: "12"), "3", "",
    ])
  func badEntries(entry: String) throws {
    let list = Self.list(Self.entry(path: "/b"), entry)
    #expect(try problem(list)?.contains("assets.json is no list of files.") == true)
  }

  @Test("a list that is too long is not read, and neither is a pipe")
  func bounds() throws {
    let long = [UInt8](repeating: 0x20, count: WebBundle.listLimitBytes + 1)
    #expect(try problem(long)?.contains("assets.json cannot be read") == true)
    try withFolder(Self.list(Self.entry(file: "pipe"))) { folder in
      #expect(mkfifo(folder + "/pipe", 0o600) == 0)
      #expect(throws: CommandFailure.self) { try WebBundle(directory: folder) }
    }
  }

  @Test("what is in the program is read as the folder was, and a part of it is nothing")
  func embedded() throws {
    func part(_ bytes: [UInt8]) -> [UInt8] { [0, 0, 0, UInt8(bytes.count)] + bytes }
    let list = Self.list(Self.entry())
    let packed = part(list) + part(Self.page)
    let bundle = try #require(WebBundle(embedded: packed))
    #expect(bundle.files.map(\.bytes) == [Self.page])
    for count in 0..<packed.count {
      #expect(WebBundle(embedded: Array(packed.prefix(count))) == nil)
    }
  }

  @Test("--no-web serves nothing, and excludes --web")
  func options() throws {
    let site = try WebOptions.parse(["--no-web"]).site(isKnownByAuthority: false)
    #expect(site == nil)
    #expect(throws: CommandFailure.self) {
      try WebOptions.parse(["--no-web", "--web", "app"]).site(isKnownByAuthority: false)
    }
  }

  @Test("the policy allows the app's own files alone; only a trusted name is pinned to TLS")
  func policy() {
    func value(_ name: String, isKnown: Bool) -> String? {
      WebPolicy.fields(isKnownByAuthority: isKnown).first { $0.name == name }?.value
    }
    let policy = value("content-security-policy", isKnown: false)
    #expect(policy?.hasPrefix("default-src 'self'; script-src 'self' 'wasm-unsafe-eval';") == true)
    #expect(policy?.contains("unsafe-inline") == false)
    #expect(value("strict-transport-security", isKnown: false) == nil)
    #expect(value("strict-transport-security", isKnown: true) == "max-age=2592000")
  }
}
