// SPDX-License-Identifier: Apache-2.0
// The sentences of the libraries' errors, in the language of the program.

import AtrestClient
import AtrestDomain
import AtrestSync

/// Says what an error means, then what to do. The libraries know English alone: they serve programs
/// with words of their own.
enum ErrorWords {
  static func sentence(of error: SyncError) -> String {
    Language.text(error.userMessage, de: german(error))
  }

  static func sentence(of error: ReplicaError) -> String {
    Language.text(error.userMessage, de: german(error))
  }

  static func sentence(of error: PairingLink.Failure) -> String {
    Language.text(error.userMessage, de: german(error))
  }

  private static func german(_ error: SyncError) -> String {
    switch error.reason {
    case .notPaired:
      "Dieses Gerät ist noch mit keinem Server verbunden. Bitte auf dem Server oder auf einem "
        + "anderen Gerät um einen Link, dann verbinde es."
    case .unreachable(let reason) where error.serverReason != nil:
      "Der Server kann es gerade nicht: \(reason). Was du geschrieben hast, bleibt; versuche es später "
        + "noch einmal."
    case .unreachable(let reason):
      "Der Server war nicht zu erreichen: \(reason). Was du geschrieben hast, bleibt; versuche es "
        + "später noch einmal."
    case .untrusted(let sentence): sentence
    case .accessEnded:
      "Der Zugang dieses Geräts wurde beendet. Was du geschrieben hast, bleibt hier; bitte um einen "
        + "neuen Link, um wieder dazuzukommen."
    case .notPermitted(let reason):
      "Der Server erlaubt es nicht: \(reason). Bitte um einen neuen Link und versuche es noch einmal."
    case .notLetIn:
      "Dieses Gerät wurde nicht eingelassen: Das andere sagte nein, oder die Zeit des Links ist um. "
        + "Bitte um einen neuen Link."
    case .joiningElsewhere:
      "Inzwischen begann anderswo ein Verbinden mit demselben Link; es geht statt diesem weiter."
    case .notFound(let reason):
      "Der Server hat es nicht gefunden: \(reason). Sieh nach, was da ist, und wähle noch einmal."
    case .refused(let reason):
      "Der Server nahm es nicht an: \(reason). Was du geschrieben hast, bleibt; prüfe, ob beide "
        + "Seiten auf dem neuesten Stand sind."
    case .badAnswer(let reason):
      "Die Antwort des Servers war nicht zu gebrauchen: \(reason). Nichts davon wurde gespeichert; "
        + "prüfe, ob beide Seiten auf dem neuesten Stand sind."
    case .massDeletion(let count, _):
      "\(count == 1 ? "1 Löschung wartet" : "\(count) Löschungen warten") auf dein Wort, weil mehr als die Hälfte "
        + "der Einträge in einem Tag verschwände. Alles andere ist abgeglichen."
    case .cancelled:
      "Der Abgleich wurde angehalten. Was abgeglichen ist, ist gespeichert; der Rest folgt beim "
        + "nächsten Mal."
    case .replica(let error): german(error)
    }
  }

  private static func german(_ error: ReplicaError) -> String {
    switch error.reason {
    case .inaccessible(let path, let reason):
      "Die Replik in \(path) lässt sich nicht öffnen: \(reason). Prüfe den Pfad und seine Rechte."
    case .damaged(let path):
      "Die Replik in \(path) ist nicht lesbar; nichts in ihr wurde geändert. Behalte den Ordner und "
        + "beginne anderswo eine neue: Einmal verbunden, erhält sie alles zurück, was abgeglichen war."
    case .newer(let path, let version, let supported):
      "Die Replik in \(path) ist von einer neueren Version (Format \(version); diese kennt "
        + "\(supported)). Erneuere dieses Programm."
    case .busy(let path):
      "Ein anderes Programm benutzt die Replik in \(path). Warte, bis es fertig ist, und versuche es "
        + "noch einmal."
    case .storage(let reason):
      "Die Replik ließ sich nicht schreiben: \(reason). Schaffe Platz oder prüfe den Datenträger, und "
        + "versuche es noch einmal."
    case .invalid(let sentence): sentence
    case .alreadyPaired(let account):
      "Diese Replik gehört schon zum Konto „\(account)“. Verlasse es zuerst, wobei alles hier bleibt, "
        + "oder nimm einen anderen Ordner."
    case .pairingEnded:
      "Diese Replik hat ihr Konto inzwischen verlassen oder ist in einem anderen. Nichts wurde "
        + "vermischt; beginne noch einmal."
    }
  }

  private static func german(_ error: PairingLink.Failure) -> String {
    switch error {
    case .notALink:
      "Das ist kein Link zum Verbinden. Er beginnt mit atrest:// und endet mit XXXX-XXXXXXXX; kopiere "
        + "ihn ganz."
    case .badServer:
      "Der Link nennt keinen Server mit Port. Er beginnt mit atrest://HOST:PORT/; kopiere ihn ganz."
    case .badCertificate:
      "Das Zertifikat im Link ist nicht vollständig: Es hat 64 Buchstaben und Ziffern. Kopiere den "
        + "ganzen Link."
    case .badCode:
      "Der Code im Link ist nicht vollständig. Er sieht aus wie XXXX-XXXXXXXX; kopiere den ganzen Link."
    case .notEncrypted:
      "Der Link nennt einen anderen Rechner, und kein Zertifikat, an dem er zu erkennen ist. Nur ein "
        + "Server auf diesem Rechner darf im Klartext gerufen werden; bitte um den ganzen Link."
    }
  }
}
