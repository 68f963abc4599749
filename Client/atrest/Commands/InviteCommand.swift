// SPDX-License-Identifier: Apache-2.0
// `atrest invite`: creates and shows a pairing link, and asks about each device that uses it.

import ArgumentParser
import AtrestClient
import AtrestCommandLine
import AtrestCompanion
import AtrestDomain
import AtrestReplication
import AtrestWire
import Foundation

/// `atrest invite [--yes] [--no-qr]`.
struct InviteCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "invite", abstract: "Make a pairing link for another of your devices.",
    discussion: """
      On a terminal the link is shown with a QR code, and the command stays: when a device comes \
      with the link, it asks whether to let it in. Interrupted, it leaves the link as it is, and \
      `atrest devices` decides later.

      Where standard output is no terminal, or with `--json`, the link alone goes there, and what to \
      do with it to standard error. `--yes` makes a link with which a device joins without being \
      asked about: whoever has it can read and change everything in your account.

      A link works once, for five minutes. Show it to nobody else.

      EXAMPLES:
        atrest invite
        link=$(atrest invite --yes)
      """)

  @Flag(help: "Let whoever uses the link in, without asking.") var yes = false
  @Flag(name: .customLong("no-qr"), help: "Leave the QR code out.") var noQR = false
  @OptionGroup var options: ReplicaOptions
  @OptionGroup var format: FormatOptions

  /// The answer for `--json`.
  struct Row: Encodable {
    var link: String
    var expires: WallTime
    var needsApproval: Bool
  }

  func run() async throws {
    let context = CommandContext.current()
    let replica = try options.openPaired()
    let invitation = try await replica.invite(withoutApproval: yes)
    let words = InviteWords(invitation, context)
    if format.isJSON || !Terminal.isRead {
      let row = Row(
        link: words.link, expires: words.expires, needsApproval: invitation.needsApproval)
      Terminal.say(format.isJSON ? try JSON.text(row) : words.link)
      if !format.isJSON || invitation.needsApproval { Terminal.writeError(words.aside) }
      return
    }
    Terminal.say(words.page(picture: noQR ? nil : picture(of: words.link)))
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
    case .unheard: Terminal.writeError(DeviceWords.unheard(name))
    case .ended: Terminal.say(InviteWords.ended)
    case .undecided:
      Terminal.writeError(words.expires > SystemClock().now() ? words.later : InviteWords.ended)
    }
  }
}

/// The name of the pending device that was asked about last.
private actor Asked {
  var name = ""
  func note(_ name: String) { self.name = name }
}

/// Texts about an invitation.
struct InviteWords: Sendable {
  let link: String
  let expires: WallTime
  private let needsApproval: Bool
  private let context: CommandContext

  init(_ invitation: DeviceInvitation, _ context: CommandContext) {
    link = invitation.link.text
    expires = invitation.expires
    needsApproval = invitation.needsApproval
    self.context = context
  }

  /// Shown until a device comes.
  static let waiting = "Waiting for the other device. Ctrl-C leaves; the link stays valid."
  /// Shown if no device came.
  static let ended = "Nobody joined, and the link's time is over. `atrest invite` makes a new one."

  private var once: String {
    "The link works once, until \(context.words(expires)). Show it to nobody else."
  }

  /// How to approve without this command.
  var later: String {
    "The link stays valid until \(context.words(expires)). Once the other device waits, `atrest devices` shows it, "
      + "and `atrest devices allow ID` lets it in."
  }

  /// The note on standard error beside a link that a script reads.
  var aside: String {
    let then =
      needsApproval
      ? " It then waits until `atrest devices allow` lets it in; `atrest devices` shows it." : ""
    return "Give it to `atrest pair` on the other device. \(once)\(then)"
  }

  /// The page for people. The QR code comes last: it fills a small window and would push text below
  /// it out.
  func page(picture: String?) -> String {
    "On the other device:\n\n  atrest pair \(link)\n\n\(once)" + (picture.map { "\n\n\($0)" } ?? "")
  }

  /// Asks about a pending device; nil without an answer.
  func ask(_ pendingDevice: PendingDevice) async -> Bool? {
    let since = pendingDevice.since
    let milliseconds = min(max(expires.milliseconds(since: SystemClock().now()), 1000), 600_000)
    return await withCheckedContinuation { done in
      // Waiting for a person must not block a thread of the task pool.
      DispatchQueue.global().async {
        Terminal.progress("")
        Keyboard.forget()
        Terminal.ask(
          "\(pendingDevice.name.quotedForTerminal) wants to join (\(context.words(since)))"
            + " and shows \(DeviceWords.shown(pendingDevice.digits)). Let it in? [y/N]"
        )
        let answer = Keyboard.line(within: Int32(milliseconds))
        if answer == nil { Terminal.writeError("") }
        done.resume(returning: answer.map(Keyboard.isYes))
      }
    }
  }
}
