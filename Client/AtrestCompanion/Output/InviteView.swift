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
  static let waiting = "Waiting for the other device. Ctrl-C leaves; the link stays valid."
  /// Shown if no device came.
  var ended: String {
    "Nobody joined, and the link's time is over. `\(program) invite` makes a new one."
  }

  private var once: String {
    "The link works once, until \(context.words(expires)). Show it to nobody else."
  }

  /// How to approve without this command.
  var later: String {
    "The link stays valid until \(context.words(expires)). Once the other device waits, `\(program) devices` shows it, "
      + "and `\(program) devices allow ID` lets it in."
  }

  /// The note on standard error beside a link that a script reads.
  var aside: String {
    let then =
      needsApproval
      ? " It then waits until `\(program) devices allow` lets it in; `\(program) devices` shows it."
      : ""
    let browser = webLink.map { ", or open \($0) in the browser of a phone" } ?? ""
    return "Give it to `\(program) pair` on the other device\(browser). \(once)\(then)"
  }

  /// The page for people. The QR code comes last: it fills a small window and would push text below
  /// it out.
  func page(picture: String?) -> String {
    "On the other device:\n\n  \(program) pair \(link)\n\n"
      + (webLink.map { "On a phone, in the browser:\n\n  \($0)\n\n" } ?? "") + once
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
