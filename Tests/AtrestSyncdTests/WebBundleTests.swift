// SPDX-License-Identifier: Apache-2.0
// Specifies which files of a built web app are served, and which folder is refused.

import AtrestCommandLine
import Foundation
import Testing

@testable import atrest_syncd

@Suite("The web app's files", .timeLimit(.minutes(20)))
struct WebBundleTests {
  private static let page = Array("<p>Atrest</p>".utf8)
  private static let zippedPage: [UInt8] = [
    0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0xb3, 0x29,
    0xb0, 0x73, 0x2c, 0x29, 0x4a, 0x2d, 0x2e, 0xb1, 0xd1, 0x2f, 0xb0, 0x03,
    0x00, 0xa9, 0xe3, 0x7b, 0xc1, 0x0d, 0x00, 0x00, 0x00,
  ]
  /// Nobody here can read brotli: it is passed on as it is.
  private static let brotliPage: [UInt8] = [1, 2, 3]

  private static func form(
    _ coding: String = "identity", file: String = "index.html", hash: String = WebBundle.hash(page)
  ) -> String {
    #"{"coding": "\#(coding)", "file": "\#(file)", "sha256": "\#(hash)"}"#
  }

  private static func entry(
    path: String = "/", hash: String = WebBundle.hash(page), forms: String...,
    more: String = #", "type": "text/html""#
  ) -> String {
    let forms = (forms.isEmpty ? [form()] : forms).joined(separator: ", ")
    return #"{"path": "\#(path)", "sha256": "\#(hash)", "forms": [\#(forms)]\#(more)}"#
  }

  /// The page as a build lays it out.
  private static let compressed = entry(
    forms: form("br", file: "index.html.br", hash: WebBundle.hash(brotliPage)),
    form("gzip", file: "index.html.gz", hash: WebBundle.hash(zippedPage)))

  private static func list(_ entries: String...) -> [UInt8] { list(entries) }

  private static func list(_ entries: [String]) -> [UInt8] {
    Array(#"{"assets": [\#(entries.joined(separator: ", "))]}"#.utf8)
  }

  private func withFolder(_ list: [UInt8]?, _ body: (String) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: folder) }
    try Data(Self.page).write(to: folder.appending(path: "index.html"))
    try Data(Self.zippedPage).write(to: folder.appending(path: "index.html.gz"))
    try Data(Self.brotliPage).write(to: folder.appending(path: "index.html.br"))
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

  @Test("an app may have more than a hundred files")
  func manyFiles() throws {
    let entries = (0..<120).map { number in
      Self.entry(
        path: "/\(number)",
        forms: Self.form("br", file: "index.html.br", hash: WebBundle.hash(Self.brotliPage)),
        Self.form("gzip", file: "index.html.gz", hash: WebBundle.hash(Self.zippedPage)))
    }
    // With forty the count of values was that of a signed statement at most.
    try withFolder(Self.list(entries)) { folder in
      let bundle = try WebBundle(directory: folder)
      #expect(bundle.files.count == 120)
    }
  }

  @Test("contents that are there compressed are read from the gzip")
  func forms() throws {
    try withFolder(Self.list(Self.compressed)) { folder in
      let file = try #require(try WebBundle(directory: folder).files.first)
      #expect(file.bytes == Self.page)
      #expect(file.codings == [.brotli, .gzip, .identity])
    }
  }

  @Test("without contents, with a gzip of others or with one that is none, a folder is refused")
  func badForms() throws {
    let brotli = Self.form("br", file: "index.html.br", hash: WebBundle.hash(Self.brotliPage))
    let gzip = Self.form("gzip", file: "index.html.gz", hash: WebBundle.hash(Self.zippedPage))
    let none = Self.form("gzip")
    let others = String(repeating: "0", count: 64)
    for entry in [
      Self.entry(forms: brotli), Self.entry(hash: others, forms: gzip), Self.entry(forms: none),
    ] {
      let sentence = try problem(Self.list(entry))
      #expect(sentence?.contains("/ has other contents than assets.json lists.") == true)
    }
  }

  @Test("a file that is another one than the list says is refused, by name")
  func stale() throws {
    let stale = Self.form(hash: String(repeating: "0", count: 64))
    let sentence = try problem(Self.list(Self.entry(forms: stale)))
    #expect(sentence?.contains("index.html is another one than assets.json lists.") == true)
    #expect(sentence?.contains("Scripts/build-web") == true)
  }

  @Test("a missing list, and a missing file, are said")
  func missing() throws {
    #expect(try problem(nil)?.contains("assets.json cannot be read") == true)
    let absent = Self.list(Self.entry(forms: Self.form(file: "absent.js")))
    #expect(try problem(absent)?.contains("absent.js cannot be read") == true)
  }

  @Test(
    "a name outside the folder, a hidden one, and a list with anything wrong are refused",
    arguments: [
      entry(forms: form(file: "../index.html")), entry(forms: form(file: "/etc/passwd")),
      entry(forms: form(file: "a/../../b")), entry(forms: form(file: ".git")),
      entry(forms: form(file: "")), entry(forms: form(hash: "12")), entry(forms: form("zstd")),
      entry(forms: form(), form()), entry(path: "index.html"), entry(path: #"/\r\nx: y"#),
      entry(more: #", "type": "text/html\r\nx: y""#), entry(more: ""), entry(hash: "12"), "3", "",
    ])
  func badEntries(entry: String) throws {
    let list = Self.list(Self.entry(path: "/b"), entry)
    #expect(try problem(list)?.contains("assets.json is no list of files.") == true)
  }

  @Test("a list that is too long is not read, and neither is a pipe")
  func bounds() throws {
    let long = [UInt8](repeating: 0x20, count: WebBundle.listLimitBytes + 1)
    #expect(try problem(long)?.contains("assets.json cannot be read") == true)
    try withFolder(Self.list(Self.entry(forms: Self.form(file: "pipe")))) { folder in
      #expect(mkfifo(folder + "/pipe", 0o600) == 0)
      #expect(throws: CommandFailure.self) { try WebBundle(directory: folder) }
    }
  }

  @Test("what is in the program is read as the folder was, and a part of it is nothing")
  func embedded() throws {
    func part(_ bytes: [UInt8]) -> [UInt8] { [0, 0, 0, UInt8(bytes.count)] + bytes }
    let list = Self.list(Self.compressed, Self.entry(path: "/icon.png"))
    let length = [0, 0, UInt8(list.count >> 8), UInt8(list.count & 0xFF)]
    let packed = length + list + part(Self.brotliPage) + part(Self.zippedPage) + part(Self.page)
    let bundle = try #require(WebBundle(embedded: packed))
    #expect(bundle.files.map(\.bytes) == [Self.page, Self.page])
    #expect(bundle.files.map(\.codings.count) == [3, 1])
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
