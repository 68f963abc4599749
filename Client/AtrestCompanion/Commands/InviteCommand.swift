// SPDX-License-Identifier: Apache-2.0
// `invite`: creates and shows a pairing link, and asks about each device that uses it.

import ArgumentParser
import AtrestClient
import AtrestCommandLine
import AtrestDomain
import AtrestReplication
import AtrestWire
import Foundation

/// `invite [--yes] [--no-qr]`: makes a pairing link, and asks about each device that uses it.
public struct InviteCommand<Program: Companion>: AsyncParsableCommand {
  /// Its name and help.
  public static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "invite", abstract: "Make a pairing link for another of your devices.",
      discussion: """
        On a terminal the link is shown with a QR code, and the command stays: when a device comes \
        with the link, it asks whether to let it in. Interrupted, it leaves the link as it is, and \
        `\(Program.programName) devices` decides later.

        Where standard output is no terminal, or with `--json`, the link alone goes there, and what to \
        do with it to standard error. `--yes` makes a link with which a device joins without being \
        asked about: whoever has it can read and change everything in your account.

        A link works once, for five minutes. Show it to nobody else.

        EXAMPLES:
          \(Program.programName) invite
          link=$(\(Program.programName) invite --yes)
        """)
  }

  @Flag(help: "Let whoever uses the link in, without asking.") var yes = false
  @Flag(name: .customLong("no-qr"), help: "Leave the QR code out.") var noQR = false
  @OptionGroup var options: ReplicaOptions<Program>
  @OptionGroup var format: FormatOptions

  /// The command without options.
  public init() {}

  /// The link, for `--json`.
  private struct Row: Encodable {
    var link: String
    var webLink: String?
    var expires: WallTime
    var needsApproval: Bool
  }

  /// Makes the link, and on a terminal stays until a device came or the link's time is over.
  ///
  /// - Throws: `SyncError.notPaired`, and what the server or the replica says.
  public func run() async throws {
    let context = CommandContext.current()
    let replica = try options.openPaired()
    let invitation = try await replica.invite(withoutApproval: yes)
    let words = InviteWords(invitation, program: Program.programName, context)
    if format.isJSON || !Terminal.isRead {
      let row = Row(
        link: words.link, webLink: words.webLink, expires: words.expires,
        needsApproval: invitation.needsApproval)
      Terminal.say(format.isJSON ? try JSON.text(row) : words.link)
      if !format.isJSON || invitation.needsApproval { Terminal.writeError(words.aside) }
      return
    }
    Terminal.say(words.page(picture: noQR ? nil : picture(of: words.webLink ?? words.link)))
    guard invitation.needsApproval else { return }
    guard Keyboard.isThere, Terminal.showsProgress else { return Terminal.writeError(words.later) }
    try await stay(replica, invitation, words)
  }

  /// The QR code; nil if the terminal is too narrow.
  private func picture(of link: String) -> String? {
    guard let code = QRCode.ofLink(link), code.columns <= min(Terminal.columns, 80) else {
      return nil
    }
    return code.picture(isColoured: Terminal.style.isOn)
  }

  private func stay(
    _ replica: Replica, _ invitation: DeviceInvitation, _ words: InviteWords
  ) async throws {
    let interruption = Interruption {
      Terminal.progress("")
      Terminal.writeError(words.later)
      // The link stays valid; another command can approve. Not `exit`, which would tear down
      // OpenSSL under an open connection.
      _exit(0)
    }
    defer { withExtendedLifetime(interruption) {} }
    Terminal.progress(InviteWords.waiting)
    let asked = Asked()
    let outcome = try await replica.receive(invitation) { pendingDevice in
      await asked.note(pendingDevice.name)
      return await words.ask(pendingDevice)
    } missed: { pendingDevice in
      Terminal.writeError(DeviceWords.gone(pendingDevice.name))
      Terminal.progress(InviteWords.waiting)
    }
    Terminal.progress("")
    let name = await asked.name
    switch outcome {
    case .letIn(let called): Terminal.say(DeviceWords.letIn(called, asked: name))
    case .sentAway: Terminal.say(DeviceWords.sentAway(name))
    case .unheard: Terminal.writeError(DeviceWords(program: Program.programName).unheard(name))
    case .ended: Terminal.say(words.ended)
    case .undecided:
      Terminal.writeError(words.expires > SystemClock().now() ? words.later : words.ended)
    }
  }
}

/// The name of the pending device that was asked about last.
private actor Asked {
  var name = ""
  func note(_ name: String) { self.name = name }
}
