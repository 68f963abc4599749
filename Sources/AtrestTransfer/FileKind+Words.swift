// SPDX-License-Identifier: Apache-2.0
// Says what a file is that is no history, and what to do.

import AtrestDomain

extension FileKind {
  /// What the file is, then what to do.
  public var userMessage: String {
    switch self {
    case .archive:
      Language.text(
        "This is an archive, such as a ZIP file. Unpack it, then import the file that is in it.",
        de: "Das ist ein Archiv, etwa eine ZIP-Datei. Entpacke es, dann importiere die Datei darin."
      )
    case .workbook:
      Language.text(
        "This is a workbook of a spreadsheet program. Save it there as CSV, then import that file.",
        de: "Das ist die Arbeitsmappe einer Tabellenkalkulation. Speichere sie dort als CSV, dann "
          + "importiere jene Datei.")
    case .calendar:
      Language.text(
        "This is an iCalendar file, whose events may be anything. Export the history of your fasts "
          + "as CSV or JSON from the app that made it, then import that file.",
        de: "Das ist eine iCalendar-Datei, deren Termine alles sein können. Exportiere den Verlauf "
          + "deines Fastens als CSV oder JSON aus der App, die sie gemacht hat, dann importiere "
          + "jene Datei.")
    case .appleHealth:
      Language.text(
        "This is an export of Apple Health, which has no fasts. Export the history from the app "
          + "that you fasted with, as CSV or JSON, then import that file.",
        de: "Das ist ein Export von Apple Health, in dem kein Fasten steht. Exportiere den Verlauf "
          + "aus der App, mit der du gefastet hast, als CSV oder JSON, dann importiere jene Datei.")
    case .webPage:
      Language.text(
        "This is a web page. Download the export itself, then import that file.",
        de: "Das ist eine Webseite. Lade den Export selbst herunter, dann importiere jene Datei.")
    case .xml:
      Language.text(
        "This is an XML file, which cannot be read here. Export the history as CSV or JSON, then "
          + "import that file.",
        de:
          "Das ist eine XML-Datei, die hier nicht gelesen werden kann. Exportiere den Verlauf als "
          + "CSV oder JSON, dann importiere jene Datei.")
    case .pdf:
      Language.text(
        "This is a PDF, which is for reading and printing. Export the history as CSV or JSON, then "
          + "import that file.",
        de:
          "Das ist ein PDF, das zum Lesen und Drucken da ist. Exportiere den Verlauf als CSV oder "
          + "JSON, dann importiere jene Datei.")
    case .database:
      Language.text(
        "This is a database of an app. Export the history from that app as CSV or JSON, then import "
          + "that file.",
        de: "Das ist die Datenbank einer App. Exportiere den Verlauf aus jener App als CSV oder "
          + "JSON, dann importiere jene Datei.")
    case .picture:
      Language.text(
        "This is a picture. Export the history as CSV or JSON, then import that file.",
        de:
          "Das ist ein Bild. Exportiere den Verlauf als CSV oder JSON, dann importiere jene Datei.")
    }
  }
}
