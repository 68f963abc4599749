// SPDX-License-Identifier: Apache-2.0
// `pair`: joins an account.

import ArgumentParser
import AtrestClient
import AtrestCommandLine
import AtrestDomain
import AtrestSync
import AtrestWire
import Foundation

/// `pair LINK --name phone`: joins an account.
public struct PairCommand<Program: Companion>: AsyncParsableCommand {
  /// Its name and help.
  public static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "pair", abstract: "Connect this device to an account.",
      discussion: """
        The link comes from the server, or from `\(Program.programName) invite` on another device, and works \
        once. What you wrote before is kept, and goes to the account with the next sync.

        If another device has to let this one in, the command waits until it has, and shows six \
        digits that have to be the same there. Interrupted, or \
        cut off from the server, it goes on where it was when it is run again with the same link.

        Without a link it asks for one, or reads it from standard input: what stands on the command line \
        is shown to every user of this machine.

        EXAMPLES:
          \(Program.programName) pair
          \(Program.programName) pair atrest://127.0.0.1:7443/BCDF-GHJKLMNP --name phone
          \(Program.programName) pair --name laptop < link.txt
        """)
  }

  @Argument(help: "The pairing link; “-” or none: from standard input.") var link: String?
  @Option(help: "What to call this device; otherwise its host name.") var name: String?
  @OptionGroup var options: ReplicaOptions<Program>
  @OptionGroup var format: FormatOptions

  /// The command without arguments.
  public init() {}

  private var words: PairWords { PairWords(program: Program.programName) }

  /// The device's name: the one given, or the host name without its domain, truncated to the
  /// server's limit.
  static func deviceName(given: String?, host: String) throws -> String {
    if let given { return try DeviceName.checked(given) }
    var name = String(host.prefix { $0 != "." }).escapedForTerminal
    while name.utf8.count > NameLimit.bytes { name.removeLast() }
    return name.isEmpty ? Language.text("device", de: "Gerät") : name
  }

  /// The link as given, or the next line of standard input.
  private func linkText() throws -> String {
    if let link, link != "-" { return link }
    if Keyboard.isThere { Terminal.ask(PairWords.prompt) }
    guard let line = Keyboard.line(), !line.allSatisfy(\.isWhitespace) else {
      throw CommandFailure(words.noLink, .usage)
    }
    return line.trimmingCharacters(in: .whitespaces)
  }

  /// Joins the account, which may wait for a person at another device.
  ///
  /// - Throws: `PairingLink.Failure`, `SyncError`, `ReplicaError`; `CommandFailure` if it is
  ///   interrupted.
  public func run() async throws {
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
      PairRow(account: joined.account, name: joined.deviceName), words.done(joined, asked: name))
  }
}

/// Who joined what, for `pair --json`.
private struct PairRow: Encodable {
  var account: String
  var name: String
}

/// Texts about joining an account.
struct PairWords {
  /// What people type, before the names of commands.
  let program: String

  /// Shown while a person decides on another device.
  static func waiting(_ digits: String) -> String {
    let digits = DeviceWords.shown(digits)
    return Language.text(
      "Waiting for your other device to let this one in. There it has to show \(digits).",
      de: "Dein anderes Gerät muss dieses einlassen. Dort muss \(digits) stehen.")
  }

  /// Asks for a link.
  static var prompt: String { Language.text("The pairing link:", de: "Der Link zum Verbinden:") }

  /// The error if standard input had no link.
  var noLink: String {
    Language.text(
      "There is no pairing link. `\(program) invite` on another device makes one, or the server's owner.",
      de: "Da ist kein Link. `\(program) invite` auf einem anderen Gerät macht einen, oder wer den "
        + "Server betreibt.")
  }

  /// Shown if the command is interrupted.
  static var interrupted: String {
    Language.text(
      "This device has not joined yet. Run the same command again, while the link lasts, to go on.",
      de: "Dieses Gerät ist noch nicht dabei. Derselbe Befehl geht weiter, solange der Link gilt.")
  }

  /// Shown after joining.
  func done(_ joined: JoinedAccount, asked name: String) -> String {
    let also = DeviceWords.taken(name, by: joined.deviceName)
    let called = joined.deviceName.escapedForTerminal
    let account = joined.account.escapedForTerminal
    return Language.text(
      "This device is now “\(called)” of the account “\(account)”.\(also) "
        + "`\(program) sync` exchanges what is new.",
      de: "Dieses Gerät ist jetzt „\(called)“ des Kontos „\(account)“.\(also) "
        + "`\(program) sync` gleicht ab, was neu ist.")
  }
}
