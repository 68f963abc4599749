// SPDX-License-Identifier: Apache-2.0
// The backup commands. The running server makes backups. Verifying and restoring needs no server.

import ArgumentParser
import AtrestCommandLine
import AtrestProtocol
import AtrestServer
import AtrestWire
import Foundation

struct Backup: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup",
    abstract: "Write a copy of all the server holds into a file, while it runs, and check it.",
    discussion: "The file is made by the server's user, and nobody else can read it.")

  @OptionGroup var data: DataOptions
  @Option(
    name: .customLong("to"),
    help: ArgumentHelp("The file to make. It must not exist yet.", valueName: "file"))
  var file: String

  func run() async throws {
    try await reported {
      let path = URL(fileURLWithPath: file).standardizedFileURL.path
      guard !file.isEmpty, path.utf8.count <= BackupRequest.pathLimitBytes else {
        throw CommandFailure("--to names no file, or its path is too long.", .usage)
      }
      let client = AdminClient(
        directory: data.path,
        withoutServer:
          "\nWhile it does not run, a copy of that whole folder is as good as a backup.")
      // Backing up a large store takes a while. The server reports errors.
      let answer = try await client.call(
        Method.Admin.backup, BackupRequest(path: path), as: BackupResponse.self,
        timeout: .seconds(6 * 3600))
      printLine(
        """
        \(path) is complete and was checked: \(Text.contents(answer)).
        Its checksum is in \(path).sha256; keep both together.
        """)
    }
  }
}

struct Verify: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Read a backup from one end to the other, without changing it.",
    discussion: "If FILE.sha256 is there, which `backup` writes, it is compared with that too.")

  @Argument(help: "The backup.") var file: String

  func run() async throws {
    try await reported {
      let copy = try backups { () throws(BackupError) in try StoreCopy.check(file) }
      printLine(
        "\(file) is a good backup: \(Text.contents(BackupResponse(copy))).\(Text.missingChecksum(copy, file))"
      )
    }
  }
}

struct RestoreCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore", abstract: "Make a store of a backup, in a new or empty folder.",
    discussion: """
      Put the old server's identity.pem beside it, unless an authority's certificate is used: devices know the server by it. Put its \
      file `withdrawn` beside it, too: accounts that were removed since, and devices whose access has ended, are then removed again at \
      the start. Nothing more is needed: devices that saw more than the backup holds notice, and bring back what they hold.
      """)

  @Argument(help: "The backup. It is checked first, and not changed.") var file: String
  @OptionGroup var data: DataOptions

  func run() async throws {
    try await reported {
      let copy = try backups { () throws(BackupError) in
        try Restore.run(from: file, into: data.path)
      }
      printLine(
        """
        \(data.path) holds it now: \(Text.contents(BackupResponse(copy))).\(Text.missingChecksum(copy, file))
        \(Self.identity(in: data.path))
        \(Self.withdrawn(in: data.path))
        Start the server with: atrest-syncd serve --data \(data.path)
        """)
    }
  }
}

extension RestoreCommand {
  /// What is to be said of accounts and devices that were removed since the backup.
  private static func withdrawn(in directory: String) -> String {
    access("\(directory)/withdrawn", R_OK) == 0
      ? "Accounts and devices that were removed since the backup are removed again at the start, by the file withdrawn."
      : "Accounts and devices that were removed since the backup are back. To have them removed again at the start, put the "
        + "old server's file withdrawn into \(directory) first."
  }

  /// What is to be said of the key that devices know the server by.
  private static func identity(in directory: String) -> String {
    access(Encryption.identityPath(in: directory), F_OK) == 0
      ? "Devices know the server by identity.pem, which is there already."
      : "Devices know the server by identity.pem, which no backup holds: put the old one into \(directory) first, "
        + "or they have to pair anew."
  }
}

/// Runs a backup operation and reports its error.
private func backups<Value>(_ body: () throws(BackupError) -> Value) throws -> Value {
  do throws(BackupError) { return try body() } catch {
    throw CommandFailure(error.userMessage, ExitStatus(error))
  }
}

extension BackupResponse {
  fileprivate init(_ copy: StoreCopy) {
    self.init(
      accounts: copy.accounts, devices: copy.devices, records: copy.records,
      sizeBytes: copy.sizeBytes)
  }
}
