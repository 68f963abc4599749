// SPDX-License-Identifier: Apache-2.0
// `atrest pair` and `unpair`: joins and leaves an account.

import ArgumentParser
import AtrestClient
import AtrestCommandLine
import AtrestCompanion
import AtrestDomain
import AtrestSync
import AtrestWire
import Foundation

/// `atrest pair LINK --name phone`.
struct PairCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pair", abstract: "Connect this device to an account.",
    discussion: """
      The link comes from the server, or from `atrest invite` on another device, and works \
      once. What you wrote before is kept, and goes to the account with the next sync.

      If another device has to let this one in, the command waits until it has, and shows six \
      digits that have to be the same there. Interrupted, or \
      cut off from the server, it goes on where it was when it is run again with the same link.

      Without a link it asks for one, or reads it from standard input: what stands on the command line \
      is shown to every user of this machine.

      EXAMPLES:
        atrest pair
        atrest pair atrest://127.0.0.1:7443/BCDF-GHJKLMNP --name phone
        atrest pair --name laptop < link.txt
      """)

  @Argument(help: "The pairing link; “-” or none: from standard input.") var link: String?
  @Option(help: "What to call this device; otherwise its host name.") var name: String?
  @OptionGroup var options: ReplicaOptions
  @OptionGroup var format: FormatOptions

  /// The answer for `--json`.
  struct Row: Encodable {
    var account: String
    var name: String
  }

  /// The device's name: the one given, or the host name without its domain, truncated to the
  /// server's limit.
  static func deviceName(given: String?, host: String) throws -> String {
    if let given { return try DeviceName.checked(given) }
    var name = String(host.prefix { $0 != "." }).escapedForTerminal
    while name.utf8.count > NameLimit.bytes { name.removeLast() }
    return name.isEmpty ? "device" : name
  }

  /// The link as given, or the next line of standard input.
  private func linkText() throws -> String {
    if let link, link != "-" { return link }
    if Keyboard.isThere { Terminal.ask("The pairing link:") }
    guard let line = Keyboard.line(), !line.allSatisfy(\.isWhitespace) else {
      throw CommandFailure(PairWords.noLink, .usage)
    }
    return line.trimmingCharacters(in: .whitespaces)
  }

  func run() async throws {
    let link = try PairingLink(parsing: try linkText())
    let name = try Self.deviceName(given: name, host: ProcessInfo.processInfo.hostName)
    let replica = try options.open()
    let joining = Task { [deviceName = name] in
      try await replica.pair(link, name: deviceName) { Terminal.writeError(PairWords.waiting($0)) }
    }
    let interruption = Interruption { joining.cancel() }
    let joined: JoinedAccount
    do {
      joined = try await joining.value
    } catch SyncError.Code.cancelled {
      throw CommandFailure(PairWords.interrupted, .temporary)
    }
    withExtendedLifetime(interruption) {}
    try format.answer(
      Row(account: joined.account, name: joined.deviceName), PairWords.done(joined, asked: name))
  }
}

/// Texts about joining an account.
enum PairWords {
  /// Shown while a person decides on another device.
  static func waiting(_ digits: String) -> String {
    "Waiting for your other device to let this one in. There it has to show \(DeviceWords.shown(digits))."
  }

  /// The error if standard input had no link.
  static let noLink =
    "There is no pairing link. `atrest invite` on another device makes one, or the server's owner."

  /// Shown if the command is interrupted.
  static let interrupted =
    "This device has not joined yet. Run the same command again, while the link lasts, to go on."

  /// Shown after joining.
  static func done(_ joined: JoinedAccount, asked name: String) -> String {
    let called = joined.deviceName
    let also =
      called == name ? "" : " Another device is called “\(name.escapedForTerminal)” already."
    return
      "This device is now “\(called.escapedForTerminal)” of the account “\(joined.account.escapedForTerminal)”.\(also) "
      + "`atrest sync` exchanges what is new."
  }
}

/// `atrest unpair`.
struct UnpairCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "unpair", abstract: "Leave the account. Everything you wrote stays here.",
    discussion: """
      For a device whose access was ended, or that moves to another server: afterwards `atrest pair` \
      connects it anew, and offers everything it holds there.

      EXAMPLES:
        atrest unpair
      """)

  @OptionGroup var options: ReplicaOptions
  @OptionGroup var format: FormatOptions

  /// The answer for `--json`.
  struct Row: Encodable {
    var account: String
  }

  func run() throws {
    guard let replica = try options.openExisting(), let account = try replica.status().account
    else { throw SyncError.notPaired }
    try replica.unpair()
    try format.answer(
      Row(account: account),
      "This device left the account “\(account.escapedForTerminal)”. Everything you wrote stays here; "
        + "`atrest pair LINK` connects it again.")
  }
}
