// SPDX-License-Identifier: Apache-2.0
// What SIGHUP does: reads the configuration and the certificate again.

import ArgumentParser
import AtrestCommandLine
import AtrestServer
import AtrestTLS
import Logging

/// Applies what may change while the server runs, and names what counts from the next start only.
struct Reload {
  /// Settings that are applied at once.
  private static let live: Set<String> = ["log-level", "log-format"]

  private let settings: LogSettings
  private let logger: Logger
  private var current: ConfigurationFile?

  init(_ settings: LogSettings, _ logger: Logger) {
    self.settings = settings
    self.logger = logger
    current = try? CommandLineArguments.file(ProgramArguments.typed())
  }

  /// Reads everything again. A mistake in the file leaves all settings as they are.
  mutating func callAsFunction(_ server: Server) {
    renewCertificate(of: server)
    do {
      let typed = try ProgramArguments.typed()
      let file = try CommandLineArguments.file(typed)
      guard file?.settings != current?.settings else { return }
      let arguments = try CommandLineArguments.completed(typed)
      guard let command = try AtrestSyncd.parseAsRoot(arguments) as? Serve else { return }
      // What it warns of was logged at the start.
      _ = try command.configuration(Logger(label: "atrest-syncd") { _ in SwiftLogNoOpLogHandler() })
      (settings.level, settings.format) = (command.log.level, command.log.format)
      let changed = Self.changed(current, file)
      current = file
      logger.notice("the configuration was read again")
      let later = changed.subtracting(Self.live).sorted()
      guard !later.isEmpty else { return }
      logger.warning(
        "some settings count from the next start on",
        metadata: ["settings": "\(later.joined(separator: " "))"])
    } catch {
      let sentence = (error as? CommandFailure)?.sentence ?? AtrestSyncd.message(for: error)
      logger.error("the settings stay as they are: \(sentence)")
    }
  }

  private static func changed(_ old: ConfigurationFile?, _ new: ConfigurationFile?) -> Set<String> {
    func values(_ file: ConfigurationFile?) -> [String: [[String]]] {
      Dictionary(grouping: file?.settings ?? [], by: \.name).mapValues { $0.map(\.arguments) }
    }
    let (old, new) = (values(old), values(new))
    return Set(old.keys).union(new.keys).filter { old[$0] != new[$0] }
  }

  private func renewCertificate(of server: Server) {
    do throws(TLSFileError) {
      let isNew = try server.renewCertificate()
      logger.info(
        isNew ? "the certificate was read again" : "there is no certificate to read again")
    } catch {
      logger.error("the old certificate stays in use: \(error.userMessage)")
    }
  }
}
