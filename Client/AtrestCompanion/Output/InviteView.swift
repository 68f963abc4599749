// SPDX-License-Identifier: Apache-2.0
// Output of `invite`: the link, and the question about a device that uses it.

import AtrestClient
import AtrestCommandLine
import AtrestDomain
import AtrestReplication
import Foundation

/// Texts about an invitation.
struct InviteWords: Sendable {
  let link: String
  /// The link for a browser, if one may use it.
  let webLink: String?
  let expires: WallTime
  private let needsApproval: Bool
  private let program: String
  private let context: CommandContext

  /// - Parameter program: What people type, before the names of commands.
  init(_ invitation: DeviceInvitation, program: String, _ context: CommandContext) {
    self.program = program
    link = invitation.link.text
    webLink = invitation.webLink
    expires = invitation.expires
    needsApproval = invitation.needsApproval
    self.context = context
  }

  /// Shown until a device comes.
  static var waiting: String {
    Language.text(
      "Waiting for the other device. Ctrl-C leaves; the link stays valid.",
      de: "Es wird auf das andere Gerät gewartet. Strg-C verlässt dies; der Link gilt weiter.")
  }
  /// Shown if no device came.
  var ended: String {
    Language.text(
      "Nobody joined, and the link's time is over. `\(program) invite` makes a new one.",
      de: "Niemand kam dazu, und die Zeit des Links ist um. `\(program) invite` macht einen neuen.")
  }

  private var once: String {
    let end = context.words(expires)
    return Language.text(
      "The link works once, until \(end). Show it to nobody else.",
      de: "Der Link gilt einmal, bis \(end). Zeige ihn sonst niemandem.")
  }

  /// How to approve without this command.
  var later: String {
    let end = context.words(expires)
    return Language.text(
      "The link stays valid until \(end). Once the other device waits, `\(program) devices` shows "
        + "it, and `\(program) devices allow ID` lets it in.",
      de:
        "Der Link gilt bis \(end). Sobald das andere Gerät wartet, zeigt `\(program) devices` es, "
        + "und `\(program) devices allow ID` lässt es ein.")
  }

  /// The note on standard error beside a link that a script reads.
  var aside: String {
    let then =
      needsApproval
      ? Language.text(
        " It then waits until `\(program) devices allow` lets it in; `\(program) devices` shows it.",
        de:
          " Es wartet dann, bis `\(program) devices allow` es einlässt; `\(program) devices` zeigt es."
      )
      : ""
    let browser = webLink.map {
      Language.text(
        ", or open \($0) in the browser of a phone",
        de: ", oder öffne \($0) im Browser eines Telefons")
    }
    return Language.text(
      "Give it to `\(program) pair` on the other device\(browser ?? ""). \(once)\(then)",
      de: "Gib ihn auf dem anderen Gerät `\(program) pair`\(browser ?? ""). \(once)\(then)")
  }

  /// The page for people. The QR code comes last: it fills a small window and would push text below
  /// it out.
  func page(picture: String?) -> String {
    let browser = Language.text("On a phone, in the browser:", de: "Auf einem Telefon, im Browser:")
    return Language.text("On the other device:", de: "Auf dem anderen Gerät:")
      + "\n\n  \(program) pair \(link)\n\n"
      + (webLink.map { "\(browser)\n\n  \($0)\n\n" } ?? "") + once
      + (picture.map { "\n\n\($0)" } ?? "")
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
        let (name, time) = (pendingDevice.name.quotedForTerminal, context.words(since))
        let digits = DeviceWords.shown(pendingDevice.digits)
        Terminal.ask(
          Language.text(
            "\(name) wants to join (\(time)) and shows \(digits). Let it in? [y/N]",
            de: "\(name) möchte dazukommen (\(time)) und zeigt \(digits). Einlassen? [j/N]"))
        let answer = Keyboard.line(within: Int32(milliseconds))
        if answer == nil { Terminal.writeError("") }
        done.resume(returning: answer.map(Keyboard.isYes))
      }
    }
  }
}
