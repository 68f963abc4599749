// SPDX-License-Identifier: Apache-2.0
// Output of the account's event log.

import AtrestCommandLine
import AtrestDomain
import AtrestReplication
import AtrestWire
import Foundation

/// An event, for `--json`.
struct EventRow: Encodable, Equatable {
  var number: UInt64
  var at: WallTime
  var event: String
  var actor: String?
  var actorName: String?
  var subject: String?
  var subjectName: String?
  var detail: Int64?
  var count: UInt32

  init(_ event: AccountEvent, _ names: [ReplicaID: String]) {
    number = event.number
    at = event.at
    self.event = EventWords.name(of: event.kind)
    actor = event.actor == .none ? nil : ShortID.hex(event.actor.rawValue)
    actorName = names[event.actor]
    subject = event.subject == .none ? nil : ShortID.hex(event.subject.rawValue)
    subjectName = names[event.subject]
    detail = event.detail == 0 ? nil : event.detail
    count = event.count
  }
}

/// Texts about events.
enum EventWords {
  /// The kind's name in JSON: `device_paired`, or `event_17` for an unknown kind.
  static func name(of kind: AccountEvent.Kind) -> String {
    switch kind {
    case .accountMade: "account_made"
    case .accountRemoved: "account_removed"
    case .codeMade: "code_made"
    case .codeRefused: "code_refused"
    case .devicePaired: "device_paired"
    case .deviceApproved: "device_approved"
    case .deviceDenied: "device_denied"
    case .deviceRenamed: "device_renamed"
    case .deviceRevoked: "device_revoked"
    case .deviceRenewed: "device_renewed"
    case .massDeletion: "mass_deletion"
    case .purchaseTaken: "purchase_taken"
    case .purchaseRefused: "purchase_refused"
    case .purchaseMoved: "purchase_moved"
    case .backupMade: "backup_made"
    case .restoreNoticed: "restore_noticed"
    default: "event_\(kind.rawValue)"
    }
  }

  static func sentence(_ event: AccountEvent, _ devices: DeviceNames) -> String {
    let text = Language.text(english(event, devices), de: german(event, devices))
    let times = Language.text("\(event.count) times", de: "\(event.count)-mal")
    return text.capitalizedFirst + (event.count > 1 ? " (\(times))" : "")
  }

  private static func english(_ event: AccountEvent, _ devices: DeviceNames) -> String {
    let actor = event.actor == .none ? "the server's owner" : quoted(event.actor, devices)
    let subject = event.subject == .none ? "a device" : quoted(event.subject, devices)
    return switch event.kind {
    case .accountMade: "\(actor) made the account"
    case .accountRemoved: "\(actor) removed the account"
    case .codeMade:
      event.detail == 1
        ? "\(actor) made a pairing link, whose device has to be let in"
        : "\(actor) made a pairing link, whose device joins at once"
    case .codeRefused: "a wrong, used or old pairing code was tried"
    case .devicePaired: "\(subject) joined, with a link of \(actor)"
    case .deviceApproved: "\(actor) let \(subject) in"
    case .deviceDenied: "\(actor) sent away a device that wanted to join"
    case .deviceRenamed: "\(actor) gave \(subject) another name"
    case .deviceRevoked: "\(actor) ended the access of \(subject)"
    case .deviceRenewed: "\(actor) was a copy, and took an identity of its own: \(subject)"
    case .massDeletion:
      "\(actor) deleted most of what there was (\(event.detail) records), as it was asked to"
    case .purchaseTaken: "\(actor) brought a purchase"
    case .purchaseRefused:
      "\(actor) brought a purchase that does not count (check \(event.detail))"
    case .purchaseMoved:
      event.detail == 2
        ? "a purchase moved to another account" : "\(actor) moved a purchase here"
    case .backupMade: "\(actor) made a backup"
    case .restoreNoticed: "\(actor) noticed that the server had been put back from a copy"
    default: "something that this version has no words for (\(event.kind.rawValue))"
    }
  }

  private static func german(_ event: AccountEvent, _ devices: DeviceNames) -> String {
    let actor = event.actor == .none ? "wer den Server betreibt" : quoted(event.actor, devices)
    let subject = event.subject == .none ? "ein Gerät" : quoted(event.subject, devices)
    return switch event.kind {
    case .accountMade: "das Konto angelegt hat \(actor)"
    case .accountRemoved: "das Konto entfernt hat \(actor)"
    case .codeMade:
      event.detail == 1
        ? "einen Link, dessen Gerät noch eingelassen werden muss, machte \(actor)"
        : "einen Link, dessen Gerät sofort dazukommt, machte \(actor)"
    case .codeRefused: "ein falscher, verbrauchter oder alter Code wurde versucht"
    case .devicePaired: "\(subject) kam dazu, mit einem Link von \(actor)"
    case .deviceApproved: "\(subject) wurde von \(actor) eingelassen"
    case .deviceDenied: "ein Gerät, das dazukommen wollte, wies \(actor) ab"
    case .deviceRenamed: "einen anderen Namen gab \(actor): \(subject)"
    case .deviceRevoked: "den Zugang beendete \(actor): \(subject)"
    case .deviceRenewed: "\(actor) war eine Kopie und wurde zu einem eigenen Gerät: \(subject)"
    case .massDeletion:
      "das meiste gelöscht (\(event.detail) Einträge) hat wie gewünscht \(actor)"
    case .purchaseTaken: "einen Kauf brachte \(actor)"
    case .purchaseRefused: "einen Kauf, der nicht zählt (Prüfung \(event.detail)), brachte \(actor)"
    case .purchaseMoved:
      event.detail == 2
        ? "ein Kauf zog in ein anderes Konto um" : "einen Kauf holte \(actor) hierher"
    case .backupMade: "eine Sicherung machte \(actor)"
    case .restoreNoticed: "dass der Server aus einer Kopie zurückkam, bemerkte \(actor)"
    default: "etwas, wofür diese Version keine Worte hat (\(event.kind.rawValue))"
    }
  }

  /// A quoted name, because a name may be any word.
  private static func quoted(_ replica: ReplicaID, _ devices: DeviceNames) -> String {
    guard let name = devices.names[replica] else { return devices.words(replica) }
    return name.quotedForTerminal
      + (replica == devices.own ? Language.text(" (this device)", de: " (dieses Gerät)") : "")
  }

  /// A table of events, newest first.
  static func list(
    _ events: [AccountEvent], _ devices: DeviceNames, _ context: CommandContext
  ) -> Table {
    var table = Table(
      headings: Language.text(
        "WHEN,WHAT", de: "WANN,WAS"))
    for event in events {
      table.add(
        context.words(event.at), sentence(event, devices))
    }
    return table
  }
}

extension String {
  /// The string with a capital first letter.
  fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
