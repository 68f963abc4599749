// SPDX-License-Identifier: Apache-2.0
// `atrest entitlement`: submits a purchase and shows what this device derives from those it has.

import ArgumentParser
import AtrestClient
import AtrestCommandLine
import AtrestCompanion
import AtrestDomain
import AtrestEntitlements
import AtrestFiles
import AtrestWire
import Foundation

/// `atrest entitlement [show | submit FILE]`.
struct EntitlementCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "entitlement", abstract: "Bring a purchase, or see which ones count.",
    subcommands: [Show.self, Submit.self], defaultSubcommand: Show.self)

  /// The policy that this device verifies by.
  struct PolicyOptions: ParsableArguments {
    @Option(
      help: ArgumentHelp(
        "The file that says whose purchases count.",
        discussion: "Otherwise \(EntitlementSettings.fileName) in the replica's folder.",
        valueName: "file"))
    var policy: String?

    func read(in directory: URL) throws -> VerificationPolicy? {
      guard let policy else {
        return try EntitlementSettings.policy(
          at: directory.appendingPathComponent(EntitlementSettings.fileName))
      }
      guard let found = try EntitlementSettings.policy(at: URL(fileURLWithPath: policy)) else {
        throw CommandFailure("There is no file \(policy.escapedForTerminal). Choose another one.")
      }
      return found
    }
  }

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "show", abstract: "Show what the purchases held here come to.",
      discussion: """
        Purchases are verified on this device. Without a policy nothing is, and the answer is that \
        it is not known.

        EXAMPLES:
          atrest entitlement
          atrest entitlement show --json
        """)

    @OptionGroup var policy: PolicyOptions
    @OptionGroup var options: ReplicaOptions
    @OptionGroup var format: FormatOptions

    func run() async throws {
      let policy = try policy.read(in: options.directory)
      guard let replica = try options.openExisting() else {
        try format.answer(EntitlementRow(nil), EntitlementWords.nothing)
        return
      }
      var token = try replica.knownAppAccountToken()
      if token == nil, policy != nil, try replica.status().isPaired {
        // Offline the token stays unknown, and so does everything that depends on it.
        token = try? await replica.learnAppAccountToken()
      }
      let report = try replica.entitlements(policy: policy, appAccountToken: token)
      try format.answer(EntitlementRow(report), EntitlementWords.report(report))
    }
  }

  struct Submit: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "submit", abstract: "Bring a transaction that the App Store signed.",
      discussion: """
        EXAMPLES:
          atrest entitlement submit transaction.jws
          atrest entitlement submit transaction.jws --transfer
        """)

    @Argument(help: "A file with the signed transaction, as the App Store wrote it.")
    var file: String
    @Flag(help: "Move the purchase here if another account uses it.") var transfer = false
    @OptionGroup var policy: PolicyOptions
    @OptionGroup var options: ReplicaOptions
    @OptionGroup var format: FormatOptions

    /// The answer for `--json`.
    struct Row: Encodable {
      var outcome: String
    }

    func run() async throws {
      let jws = try Self.read(file)
      let policy = try policy.read(in: options.directory)
      let replica = try options.open()
      if let policy { try await Self.check(jws, by: policy, in: replica) }
      switch try await replica.submit(signedTransaction: jws, transfer: transfer) {
      case .accepted:
        try format.answer(Row(outcome: "accepted"), "The purchase is verified and kept.")
      case .kept:
        try format.answer(
          Row(outcome: "kept"),
          "The purchase is kept here. It goes to the account with the next sync.")
      case .rejected(let rejection):
        throw CommandFailure(rejection.message.escapedForTerminal)
      }
    }

    /// Rejects locally what this device can judge alone. Retryable rejections, and decisions that
    /// are the server's, are left to the server.
    static func check(
      _ jws: [UInt8], by policy: VerificationPolicy, in replica: Replica
    ) async throws {
      do throws(EntitlementRejection) {
        _ = try TransactionVerifier(policy: policy).authenticate(
          jws, isTester: false, now: SystemClock().now())
      } catch {
        guard error.isRetryable else { throw CommandFailure(error.userMessage) }
      }
    }

    /// Reads a statement without trailing newlines, which belong to the file.
    static func read(_ path: String) throws -> [UInt8] {
      guard let bytes = try? SmallFile.read(path, limitBytes: SignedTransaction.limitBytes + 2)
      else {
        throw CommandFailure(
          "\(path.escapedForTerminal) cannot be read, or is too long for a transaction. Check that it is the file."
        )
      }
      return SignedTransaction.trimmed(bytes)
    }
  }
}
