// SPDX-License-Identifier: Apache-2.0
// `atrest pair`, `unpair` and `invite`: join an account, leave it, and let another device join.

import ArgumentParser
import AtrestClient
import AtrestDomain
import Foundation
import SyncProtocol

/// `atrest pair LINK --name phone`.
struct PairCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pair", abstract: "Connect this device to an account.",
    discussion: """
      The link comes from the server, or from `atrest invite` on another device, and works \
      once. What you wrote before is kept, and goes to the account with the next sync.

      EXAMPLES:
        atrest pair atrest://127.0.0.1:7443/BCDF-GHJKLMNP --name phone
      """)

  @Argument(help: "The pairing link.") var link: String
  @Option(help: "What to call this device; otherwise its host name.") var name: String?
  @OptionGroup var options: ReplicaOptions
  @OptionGroup var format: FormatOptions

  /// The answer for `--json`.
  struct Row: Encodable {
    var account: String
    var name: String
  }

  /// What the device is called: the name given, else the host's, without its domain, cut to what a
  /// server takes.
  static func deviceName(given: String?, host: String) throws -> String {
    if let given {
      let name = given.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      guard (1...NameLimit.bytes).contains(name.utf8.count), name == Foreign.text(name) else {
        throw Failure.Thrown(
          "A device's name has 1 to \(NameLimit.bytes) bytes of plain text. Choose another `--name`.",
          Failure.usage)
      }
      return name
    }
    var name = Foreign.text(String(host.prefix { $0 != "." }))
    while name.utf8.count > NameLimit.bytes { name.removeLast() }
    return name.isEmpty ? "device" : name
  }

  func run() async throws {
    let link = try PairingLink(parsing: link)
    let name = try Self.deviceName(given: name, host: ProcessInfo.processInfo.hostName)
    let replica = try options.open()
    let account = try await replica.pair(link, name: name)
    // Another device may have the name: the server then adds a number. Not to hear of it is no failure.
    let called = (try? await replica.devices())?.first(where: \.isCurrent)?.name ?? name
    let also = called == name ? "" : " Another device is called “\(name)” already."
    try format.answer(
      Row(account: account, name: called),
      "This device is now “\(Foreign.text(called))” of the account “\(Foreign.text(account))”.\(also) "
        + "`atrest sync` exchanges what is new.")
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

  func run() throws {
    guard let replica = try options.openExisting(), let account = try replica.status().account
    else { throw SyncError.notPaired }
    try replica.unpair()
    Terminal.say(
      "This device left the account “\(Foreign.text(account))”. Everything you wrote stays here; "
        + "`atrest pair LINK` connects it again.")
  }
}

/// `atrest invite`.
struct InviteCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "invite", abstract: "Make a pairing link for another of your devices.",
    discussion: """
      Whoever uses the link can read and change everything in your account. It works once; \
      show it to nobody else.

      Where standard output is no terminal, the link alone goes there, and what to do with it to \
      standard error.

      EXAMPLES:
        atrest invite
        link=$(atrest invite)
      """)

  @OptionGroup var options: ReplicaOptions
  @OptionGroup var format: FormatOptions

  /// The answer for `--json`.
  struct Row: Encodable {
    var link: String
    var expires: Date
  }

  func run() async throws {
    let around = Surroundings.current()
    let invitation = try await options.openPaired().invite()
    let expires = Date(milliseconds: invitation.expires.milliseconds)
    let link = invitation.link.text
    let once = "The link works once, until \(around.words(expires)). Show it to nobody else."
    if format.json || Terminal.isRead {
      try format.answer(
        Row(link: link, expires: expires),
        "On the other device:\n\n  atrest pair \(link)\n\n\(once)")
    } else {
      Terminal.say(link)
      Terminal.complain("Give it to `atrest pair` on the other device. \(once)")
    }
  }
}
