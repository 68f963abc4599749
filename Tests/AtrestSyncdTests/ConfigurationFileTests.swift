// SPDX-License-Identifier: Apache-2.0
// Settings in a file: each flag has its key, flags win, and a mistake is named with its line.

import AtrestCommandLine
import Testing

@testable import atrest_syncd

@Suite("Configuration files", .timeLimit(.minutes(20)))
struct ConfigurationFileTests {
  private let options = CommandLineArguments.serveOptions

  private func file(_ text: String) throws -> ConfigurationFile {
    try ConfigurationFile("/etc/x.toml", text: text, options: options)
  }

  @Test("every option of serve that people see has a key")
  func keys() throws {
    let names = options.map(\.name)
    for name in ["data", "listen", "advertise", "store", "tls-cert", "log-level", "insecure"] {
      #expect(names.contains(name))
    }
    #expect(!names.contains("help") && !names.contains("public") && !names.contains("config"))
  }

  @Test("settings become arguments; lists repeat them; a flag that is off is none")
  func arguments() throws {
    let file = try file(
      """
      listen = "127.0.0.1:1"
      trusted-proxy = ["10.0.0.1", "10.0.0.2"]
      insecure = true
      allow-weak-commits = false
      app-id = 7
      [limits]
      max-connections = 500
      """)
    #expect(
      file.arguments(for: options, besides: []) == [
        "--listen", "127.0.0.1:1", "--trusted-proxy", "10.0.0.1", "--trusted-proxy", "10.0.0.2",
        "--insecure", "--app-id", "7", "--limit", "max-connections=500",
      ])
  }

  @Test("an option on the command line wins, as a word of its own or joined to its value")
  func optionsWin() throws {
    let file = try file("listen = \"127.0.0.1:1\"\ndata = \"/srv\"")
    let all = { file.arguments(for: self.options, besides: $0) }
    #expect(all(["serve", "--listen", "[::1]:2"]) == ["--data", "/srv"])
    #expect(all(["serve", "--listen=[::1]:2"]) == ["--data", "/srv"])
    #expect(all(["serve", "--", "--listen"]).contains("--listen"))
  }

  @Test("a command takes from the file only what it knows")
  func otherCommands() throws {
    let list = try #require(
      CommandOptions(of: AtrestSyncd.self, arguments: ["account", "list", "--json"]))
    let file = try file("listen = \"127.0.0.1:1\"\ndata = \"/srv\"")
    #expect(list.path == ["account", "list"])
    #expect(file.arguments(for: list.options, besides: []) == ["--data", "/srv"])
    let audit = try #require(CommandOptions(of: AtrestSyncd.self, arguments: ["audit"]))
    #expect(audit.options.contains { $0.name == "limit" })
    let limits = try self.file("data = \"/srv\"\n[limits]\nmax-connections = 500")
    #expect(limits.arguments(for: audit.options, besides: []) == ["--data", "/srv"])
    #expect(CommandOptions(of: AtrestSyncd.self, arguments: ["account"]) == nil)
    #expect(CommandOptions(of: AtrestSyncd.self, arguments: []) == nil)
  }

  @Test(
    "a wrong key or value is named with its line",
    arguments: [
      ("\nlisen = \"x\"", "line 2: there is no setting lisen; is listen meant?"),
      ("colour = 1", "line 1: there is no setting colour. `atrest-syncd config show` lists all."),
      ("limit = \"a=1\"", "line 1: limits stand in a table of their own, [limits]."),
      ("insecure = \"yes\"", "line 1: insecure is true or false."),
      ("listen = true", "line 1: listen is a text."),
      ("listen = [\"a\"]", "line 1: listen is a text."),
      ("[limit]\na = 1", "line 2: there is no table [limit], only [limits]."),
      (
        "[limits]\n\nmax-connections = 5",
        "line 3: The limit max-connections is a number from 16 to 1000000. Choose one."
      ),
      (
        "[limits]\ncolour = 5",
        "line 2: There is no limit “colour”. `atrest-syncd limits` lists those that there are."
      ),
    ])
  func mistakes(text: String, sentence: String) {
    let failure = #expect(throws: CommandFailure.self) { try file(text) }
    #expect(failure?.sentence == "/etc/x.toml, " + sentence)
    #expect(failure?.status == .data)
  }

  @Test("what `config show` prints is a file that means the same")
  func listing() throws {
    let given = try file(
      """
      listen = "127.0.0.1:1"
      advertise = "a \\"b\\" \\\\ \\u0001"
      trusted-proxy = ["10.0.0.1", "10.0.0.2"]
      insecure = true
      app-id = 7
      [limits]
      max-connections = 500
      """)
    let again = try file(ConfigurationListing.text(given, of: options))
    let sorted = { (file: ConfigurationFile) in
      file.arguments(for: self.options, besides: []).sorted()
    }
    #expect(sorted(again) == sorted(given))
    // Without a file, all of it is comments.
    #expect(try file(ConfigurationListing.text(nil, of: options)).settings.isEmpty)
  }

  @Test("the standard values that it prints can be written as they stand")
  func standards() throws {
    let text = ConfigurationListing.text(nil, of: options)
      .split(separator: "\n")
      .filter { $0.hasPrefix("# ") && $0.contains(" = ") && !$0.contains("\"\"") }
      .map { String($0.dropFirst(2)) }
    let settings = text.filter { line in options.contains { line.hasPrefix($0.name + " = ") } }
    let file = try file(settings.joined(separator: "\n"))
    #expect(file.settings.count == settings.count && settings.count > 5)
    _ = try Serve.parse(file.arguments(for: options, besides: []))
  }
}
