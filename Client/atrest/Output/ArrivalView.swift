// SPDX-License-Identifier: Apache-2.0
// Output at the end of a fast: the arrival, without praise.

import AtrestClient
import AtrestCommandLine
import AtrestCompanion
import AtrestDomain
import Foundation

/// The arrival's text and tree.
enum ArrivalView {
  /// - Parameter isRead: Whether a person reads it on a terminal, and so gets the tree.
  static func text(
    of session: Session, _ snapshot: Snapshot, _ context: CommandContext, isRead: Bool
  ) -> String {
    let style = isRead ? Terminal.colourStyle : .plain
    var lines: [String] = []
    let isEstablished = TreeMapper.state(of: session) == .established
    if isRead {
      lines += TreeView.lines(
        of: session, at: context.now, snapshot.entitlement, style,
        columns: ScreenSize.current().columns - 1,
        isUnicode: Terminal.isUnicode(environment: ProcessInfo.processInfo.environment))
    }
    if isEstablished {
      lines.append(
        "\(Word.timerCompletedLabel.text) \(DurationText.text(milliseconds: session.elapsedMilliseconds(at: context.now)))."
      )
    } else {
      lines.append(SessionWords.ended(session, context))
    }
    if let fragment = Vigil(snapshot.choices.settings)
      .arrival(of: session, completed: snapshot.completed)
    {
      lines.append(style.scripture(fragment.text))
    }
    return lines.joined(separator: "\n")
  }
}

/// The one-time transition moment.
enum TransitionView {
  /// Its text with the possible actions.
  static func text(_ style: Style, width: Int) -> String {
    var lines = [""] + Wrapping.lines(Word.transitionBody.text, width: min(width, 60))
    lines.append("")
    lines.append(style.quiet("`atrest premium`  \(Word.transitionContinue.text)"))
    return lines.joined(separator: "\n")
  }

  /// Shows it on a terminal if it is due, and records that for all devices. It is not shown, and so
  /// not used up, if the output goes to a program.
  static func showOnce(_ snapshot: Snapshot, in replica: Replica) throws {
    guard snapshot.isTransitionDue, Terminal.isRead, replica.isWritable else { return }
    try replica.setPreference(
      TransitionMoment.dismissedKey, to: TransitionMoment.dismissedValue)
    Terminal.say(text(Terminal.colourStyle, width: ScreenSize.current().columns))
  }
}
