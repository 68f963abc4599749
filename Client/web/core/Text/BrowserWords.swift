// SPDX-License-Identifier: Apache-2.0
// The sentences of the errors that a person meets in a browser, in both languages.

import AtrestDomain
import AtrestSync
import AtrestWire

/// Says what an error means, then what to do there: a page has no commands, and no folder.
enum BrowserWords {
  /// Whether the server answered, and asks to wait.
  static func isBusy(_ error: SyncError) -> Bool {
    error.code == .unreachable && error.retryMilliseconds != nil
  }

  static func sentence(of error: SyncError) -> String {
    switch error.reason {
    case .notPaired:
      Language.text(
        "This device is not paired with a server yet. Open a pairing link, or type its code in the "
          + "settings.",
        de: "Dieses Gerät ist noch mit keinem Server gekoppelt. Öffne einen Link zum Koppeln, oder "
          + "gib seinen Code in den Einstellungen ein.")
    case .unreachable where error.serverReason == .diskFull:
      Language.text(
        "The server has no room at the moment. What you noted is kept, and goes there when it can.",
        de: "Der Server hat gerade keinen Platz. Was du notiert hast, ist behalten und kommt "
          + "dorthin, sobald es geht.")
    case .unreachable where isBusy(error):
      Language.text(
        "The server was asked too often. Wait a minute, and try again.",
        de: "Der Server wurde zu oft gefragt. Warte eine Minute und versuche es noch einmal.")
    case .unreachable:
      Language.text(
        "The server could not be reached. What you noted is kept, and goes there when it can.",
        de: "Der Server war nicht zu erreichen. Was du notiert hast, ist behalten und kommt "
          + "dorthin, sobald es geht.")
    case .accessEnded:
      Language.text(
        "This device's access was ended. What you noted is kept here; ask for a new pairing link to "
          + "join again.",
        de: "Der Zugang dieses Geräts wurde beendet. Was du notiert hast, bleibt hier; bitte um "
          + "einen neuen Link, um wieder dazuzukommen.")
    case .notPermitted:
      Language.text(
        "The server did not allow it. Ask for a new pairing link and try again.",
        de: "Der Server erlaubt es nicht. Bitte um einen neuen Link und versuche es noch einmal.")
    case .notLetIn:
      Language.text(
        "This device was not let in: the other one said no, or the link's time is over. Ask for a "
          + "new pairing link.",
        de: "Dieses Gerät wurde nicht eingelassen: Das andere sagte nein, oder die Zeit des Links "
          + "ist um. Bitte um einen neuen Link.")
    default: error.userMessage
    }
  }

  static func sentence(of error: ReplicaError) -> String {
    guard case .alreadyPaired(let account) = error.reason else { return error.userMessage }
    return Language.text(
      "This device belongs to the account “\(account)” already. Leave that one first, under "
        + "Devices: everything stays here.",
      de: "Dieses Gerät gehört schon zum Konto „\(account)“. Verlasse es zuerst, unter Geräte: "
        + "Alles hier bleibt.")
  }
}
