// SPDX-License-Identifier: Apache-2.0
// Shows and checks the settings of a configuration file.

import ArgumentParser
import AtrestCommandLine
import Glibc
import Logging

struct ConfigCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "config", abstract: "Check the configuration file, or show all settings.",
    discussion: """
      The file is \(ConfigurationFile.standardPath) unless --config names another one. It is written in TOML, a key for each option of \
      `serve`, and a table [limits] for what --limit takes:

        listen = "0.0.0.0:7443"
        advertise = "sync.example.org:7443"
        trusted-proxy = ["192.0.2.1", "192.0.2.2"]

        [limits]
        max-connections = 500

      An option on the command line wins over the file. A running server takes log-level and log-format from it on SIGHUP, and all else at \
      its next start.
      """,
    subcommands: [ConfigCheck.self, ConfigShow.self])
}

struct ConfigFileOptions: ParsableArguments {
  @Option(
    name: .customLong("config"),
    help: ArgumentHelp(
      "The file; otherwise \(ConfigurationFile.standardPath).", valueName: "file"))
  var path: String = ConfigurationFile.standardPath

  /// The file and the command that it makes.
  /// - Throws: `CommandFailure` that names what is wrong, and the line where that is known.
  func loaded() throws -> (file: ConfigurationFile, serve: Serve) {
    let options = CommandLineArguments.serveOptions
    let file = try ConfigurationFile(path, options: options)
    for setting in file.settings {
      do { _ = try Serve.parse(setting.arguments) } catch {
        throw CommandFailure(
          "\(path.escapedForTerminal), line \(setting.line): "
            + Serve.message(for: error).escapedForTerminal)
      }
    }
    do {
      let serve = try Serve.parse(file.arguments(for: options, besides: []))
      let quiet = Logger(label: "atrest-syncd") { _ in SwiftLogNoOpLogHandler() }
      _ = try serve.configuration(quiet)
      return (file, serve)
    } catch let failure as CommandFailure {
      throw CommandFailure("\(path.escapedForTerminal): " + failure.sentence, .data)
    }
  }
}

struct ConfigCheck: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Say whether `serve` could use the file, and where it is wrong."
  )

  @OptionGroup var options: ConfigFileOptions

  func run() async throws {
    try await reported {
      let count = try options.loaded().file.settings.count
      printLine(
        "\(options.path.escapedForTerminal) can be used: "
          + (count == 1 ? "1 setting." : "\(count) settings."))
    }
  }
}

struct ConfigShow: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Print every setting: the file's own, and as comments those it leaves as they are.",
    discussion: "What it prints is a configuration file again.")

  @OptionGroup var options: ConfigFileOptions

  func run() async throws {
    try await reported {
      // Without a file there is still something to show: what all settings are without one.
      let hasFile = options.path != ConfigurationFile.standardPath || Self.exists(options.path)
      let file = hasFile ? try options.loaded().file : nil
      printLine(ConfigurationListing.text(file, of: CommandLineArguments.serveOptions))
    }
  }

  private static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }
}
