// SPDX-License-Identifier: Apache-2.0
// The words of the shell's own elements, in both languages.

import AtrestDomain

/// A text that the shell shows beside what views say. The raw value is the shell's name for it;
/// `%@` is replaced there.
enum ShellWord: String, CaseIterable {
  case back, up, undo, ways, forest, garden, calendar, history, water, settings, earlier, add
  case fast, correct, start, end, keep, keptNow, delete, deleteSure
  case devices, device, here, browser, pairedWith, allSent, toSend, onlyHere, pairThis
  case pair, code, deviceName, letInElsewhere
  case invite, openBefore, scan, copy, copied, asksIn, letIn, refuse, thisDevice, seen, notSeen
  case cancel, revoke, revokeSure, revokeWho, revokeAll, revokeOnly, revokeOthers, revoked, leave,
    leaveSure, erase, eraseSure
  case conflicts, noConflicts, restore, kept, lost
  case importTitle, chooseFile, importHint, preferFile, importNow, importBehind, importAlone
  case buyElsewhere, submit, submitHint, submitted, purchaseKept
  case privacyHere, privacyServer, privacyNobody, termsLicence, termsPurchase, termsHealth
  case temporary, mayForget, homeApart, noOffline

  var text: String {
    switch self {
    case .back: Language.text("Return to timer", de: "Zurück zum Timer")
    case .up: Language.text("Back", de: "Zurück")
    case .undo: Language.text("Undo", de: "Rückgängig")
    case .ways: Language.text("Ways elsewhere", de: "Wege woandershin")
    case .forest: Word.navForest.text
    case .garden: Language.text("Garden", de: "Garten")
    case .calendar: Word.navCalendar.text
    case .history: Language.text("History", de: "Verlauf")
    case .water: Word.waterInlineHeader.text
    case .settings: Word.navSettings.text
    case .earlier: Language.text("Earlier", de: "Früher")
    case .add: Language.text("%@: %@. Add %@", de: "%@: %@. %@ hinzufügen")
    case .fast: Language.text("Fast", de: "Fasten")
    case .correct: Language.text("%@. Correct its start", de: "%@. Beginn berichtigen")
    case .start: Language.text("Start", de: "Beginn")
    case .end: Language.text("End", de: "Ende")
    case .keptNow: Language.text("Kept.", de: "Behalten.")
    case .keep: Language.text("Keep", de: "Behalten")
    case .delete: Language.text("Delete", de: "Löschen")
    case .deleteSure: Language.text("Really delete", de: "Wirklich löschen")
    case .devices: Language.text("Devices", de: "Geräte")
    case .device: Language.text("another device", de: "ein anderes Gerät")
    case .here: Language.text("this device", de: "dieses Gerät")
    case .browser: Language.text("Browser", de: "Browser")
    case .pairedWith: Language.text("Paired with %@.", de: "Mit %@ gekoppelt.")
    case .allSent: Language.text("Everything is there.", de: "Alles ist dort.")
    case .toSend: Language.text("%@ to send.", de: "%@ zu senden.")
    case .onlyHere: Language.text("Only on this device.", de: "Nur auf diesem Gerät.")
    case .pairThis: Language.text("Pair this device", de: "Dieses Gerät koppeln")
    case .pair: Language.text("Pair", de: "Koppeln")
    case .code: Language.text("Code", de: "Code")
    case .deviceName: Language.text("Name of this device", de: "Name dieses Geräts")
    case .letInElsewhere:
      Language.text(
        "Let this device in on another one, if it shows the same digits.",
        de: "Lass dieses Gerät auf einem anderen herein, wenn es dieselben Ziffern zeigt.")
    case .invite: Language.text("Invite a device", de: "Ein Gerät einladen")
    case .openBefore:
      Language.text(
        "Open this on the other device before %@:", de: "Öffne das auf dem anderen Gerät bis %@:")
    case .scan:
      Language.text(
        "Or point its camera at this picture.", de: "Oder richte seine Kamera auf dieses Bild.")
    case .copy: Language.text("Copy", de: "Kopieren")
    case .copied: Language.text("Copied.", de: "Kopiert.")
    case .asksIn:
      Language.text(
        "%@ asks to be let in. Let it in only if it shows these digits:",
        de: "%@ möchte herein. Lass es nur herein, wenn es diese Ziffern zeigt:")
    case .letIn: Language.text("Let in", de: "Hereinlassen")
    case .refuse: Language.text("Refuse", de: "Ablehnen")
    case .thisDevice: Language.text("This device", de: "Dieses Gerät")
    case .seen: Language.text("Seen %@", de: "Gesehen %@")
    case .notSeen: Language.text("Not seen yet", de: "Noch nicht gesehen")
    case .cancel: Language.text("Cancel", de: "Abbrechen")
    case .revoke: Language.text("Revoke", de: "Ausschließen")
    case .revokeSure: Language.text("Revoke it for good", de: "Für immer ausschließen")
    case .revokeWho: Language.text("Revoke %@?", de: "%@ ausschließen?")
    case .revokeAll: Language.text("Revoke all of them", de: "Alle ausschließen")
    case .revokeOnly: Language.text("This one alone", de: "Nur dieses")
    case .revokeOthers:
      Language.text("Revoke what came in through it", de: "Wer durch es kam, ausschließen")
    case .revoked: Language.text("Revoked %@", de: "Ausgeschlossen %@")
    case .leave: Language.text("Leave the account", de: "Konto verlassen")
    case .erase:
      Language.text("Erase what this browser holds", de: "Löschen, was dieser Browser hat")
    case .eraseSure:
      Language.text(
        "Erase it; what no other device has is gone", de: "Löschen; was nur hier ist, ist weg")
    case .leaveSure:
      Language.text(
        "Leave it; what you noted stays here", de: "Verlassen; was du notiert hast, bleibt")
    case .conflicts: Language.text("Later writes elsewhere", de: "Spätere Änderungen woanders")
    case .noConflicts: Language.text("Nothing here yet.", de: "Hier ist noch nichts.")
    case .restore: Language.text("Restore", de: "Wiederherstellen")
    case .kept: Language.text("Stands: %@ (%@)", de: "Gilt: %@ (%@)")
    case .lost: Language.text("Set aside: %@ (%@)", de: "Beiseitegelegt: %@ (%@)")
    case .importTitle: Language.text("Import", de: "Importieren")
    case .chooseFile: Language.text("Choose a file", de: "Datei wählen")
    case .importHint:
      Language.text(
        "A file that Atrest or its iOS app exported. What it holds is added; nothing here is "
          + "deleted.",
        de:
          "Eine Datei, die Atrest oder seine iOS-App exportiert hat. Was darin steht, kommt hinzu; "
          + "hier wird nichts gelöscht.")
    case .preferFile:
      Language.text("Take the file's where it differs", de: "Bei Unterschieden gilt die Datei")
    case .importNow: Language.text("Bring it in", de: "Hereinholen")
    case .importBehind:
      Language.text(
        "This device is not up to date: what your other devices deleted since the file was made "
          + "would come back. Wait until it has synced, if you can.",
        de: "Dieses Gerät ist nicht auf dem neuesten Stand: Was deine anderen Geräte gelöscht "
          + "haben, seit es die Datei gibt, käme zurück. Warte nach Möglichkeit, bis es "
          + "abgeglichen hat.")
    case .importAlone:
      Language.text(
        "If this device is to join an account, pair it first: otherwise what was deleted on other "
          + "devices since the file was made comes back.",
        de: "Soll dieses Gerät zu einem Konto gehören, dann kopple es vorher: Sonst kommt zurück, "
          + "was andere Geräte gelöscht haben, seit es die Datei gibt.")
    case .buyElsewhere:
      Language.text(
        "Purchases are made in the iOS app. A browser cannot buy.",
        de: "Gekauft wird in der iOS-App. Ein Browser kann nicht kaufen.")
    case .submit: Language.text("Bring a purchase", de: "Einen Kauf bringen")
    case .submitted:
      Language.text(
        "The purchase is verified and kept.", de: "Der Kauf ist geprüft und behalten.")
    case .purchaseKept:
      Language.text(
        "The purchase is kept here. It goes to the account with the next sync.",
        de: "Der Kauf ist hier behalten. Er kommt mit dem nächsten Abgleich ins Konto.")
    case .privacyHere:
      Language.text(
        "What you note is kept in this browser.", de: "Was du notierst, bleibt in diesem Browser.")
    case .privacyServer:
      Language.text(
        "If this device is paired, it is also on the server that it is paired with, and on your "
          + "other devices. Who runs that server can read it.",
        de: "Ist dieses Gerät gekoppelt, ist es auch auf dem Server, mit dem es gekoppelt ist, und "
          + "auf deinen anderen Geräten. Wer den Server betreibt, kann es lesen.")
    case .privacyNobody:
      Language.text(
        "Nobody else is told anything: no cookies, no measurements, no other addresses.",
        de: "Sonst erfährt niemand etwas: keine Cookies, keine Messungen, keine anderen Adressen.")
    case .termsLicence:
      Language.text(
        "Atrest is free software under the Apache License 2.0. It comes without warranty.",
        de: "Atrest ist freie Software unter der Apache-Lizenz 2.0. Es kommt ohne Gewähr.")
    case .termsPurchase:
      Language.text(
        "Purchases are made in the iOS app, by the terms of your Apple Account.",
        de: "Gekauft wird in der iOS-App, zu den Bedingungen deines Apple-Accounts.")
    case .termsHealth:
      Language.text(
        "It tells time and gives no medical advice.",
        de: "Es sagt die Zeit und gibt keinen medizinischen Rat.")
    case .submitHint:
      Language.text(
        "The signed transaction that the App Store gave for your purchase, as it is. Your server "
          + "checks it.",
        de: "Die signierte Transaktion, die der App Store zu deinem Kauf gegeben hat, so wie sie "
          + "ist. Dein Server prüft sie.")
    case .temporary:
      Language.text(
        "This window keeps nothing: what you note here is gone when it closes.",
        de: "Dieses Fenster behält nichts: Was du hier notierst, ist weg, wenn es sich schließt.")
    case .mayForget:
      Language.text(
        "The browser may remove what is kept here, and a private window does when it closes. Add "
          + "Atrest to the home screen, or pair this device.",
        de: "Der Browser darf löschen, was hier liegt, und ein privates Fenster tut es, wenn es "
          + "sich schließt. Lege Atrest auf den Startbildschirm oder koppele dieses Gerät.")
    case .homeApart:
      Language.text(
        "On the home screen Atrest keeps its own data, apart from this tab. Add it first, then note "
          + "and pair there.",
        de: "Auf dem Startbildschirm hat Atrest eigene Daten, getrennt von diesem Tab. Füge es "
          + "zuerst hinzu, dann notiere und kopple dort.")
    case .noOffline:
      Language.text(
        "Without a trusted certificate Atrest does not start offline here.",
        de: "Ohne vertrautes Zertifikat startet Atrest hier nicht offline.")
    }
  }
}
