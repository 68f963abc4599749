// SPDX-License-Identifier: Apache-2.0
// The catalogue in German. Each key of `Catalogue.entries`, and no other, is here.

extension Catalogue {
  private static let germanTimer: [(key: String, text: String)] = [
    ("timer.idle.prompt", "Wenn du so weit bist"),
    ("timer.active.label", "Du fastest"),
    ("timer.completed.label", "Dieses Fasten ist abgeschlossen."),
    ("timer.abandoned.label", "Dieses hast du losgelassen. Das ist in Ordnung."),
    ("timer.action.begin", "Beginnen"),
    ("timer.action.end", "Fasten beenden"),
    ("timer.action.abandon", "Loslassen"),
    ("timer.notice", "Dieses Fasten hat sein Ziel erreicht."),
    ("timer.elapsed.a11y", "%@ seit Beginn dieses Fastens"),
    (
      "timer.firstRun",
      "Willkommen. Beginne, wann immer du so weit bist; alles hier geht auf diesem Gerät allein."
    ),
    ("nav.glyph.a11y", "Wege anderswohin"),
    ("nav.forest", "Wald"),
    ("nav.calendar", "Kalender"),
    ("nav.settings", "Einstellungen"),
  ]

  private static let germanForest: [(key: String, text: String)] = [
    ("forest.empty", "Hier wächst dein Wald."),
    ("forest.back", "Zurück zum Timer"),
    ("forest.tree.established.a11y", "Ein Baum in %@, für das Fasten vom %@"),
    ("forest.tree.incomplete.a11y", "Ein grauer Baum, für das Fasten vom %@"),
    ("forest.tree.materialising.a11y", "Ein Baum, der entsteht"),
    ("forest.star.a11y", "Ein Stern darüber"),
    ("palette.tone.0", "Rindenbraun"),
    ("palette.tone.1", "warmem Bernstein"),
    ("palette.tone.2", "moosgrauem Grün"),
    ("palette.tone.3", "kühlem Stein"),
    ("palette.tone.4", "altem Gold"),
  ]

  private static let germanCalendar: [(key: String, text: String)] = [
    ("calendar.title", "Kalender"),
    ("calendar.completed", "Abgeschlossen"),
    ("calendar.endedEarly", "Früher beendet"),
    ("calendar.empty", "Noch ist nichts hier."),
    ("calendar.previous.a11y", "Der Monat davor"),
    ("calendar.next.a11y", "Der Monat danach"),
    ("calendar.month.1", "Januar"),
    ("calendar.month.2", "Februar"),
    ("calendar.month.3", "März"),
    ("calendar.month.4", "April"),
    ("calendar.month.5", "Mai"),
    ("calendar.month.6", "Juni"),
    ("calendar.month.7", "Juli"),
    ("calendar.month.8", "August"),
    ("calendar.month.9", "September"),
    ("calendar.month.10", "Oktober"),
    ("calendar.month.11", "November"),
    ("calendar.month.12", "Dezember"),
    ("calendar.weekday.1", "So"),
    ("calendar.weekday.2", "Mo"),
    ("calendar.weekday.3", "Di"),
    ("calendar.weekday.4", "Mi"),
    ("calendar.weekday.5", "Do"),
    ("calendar.weekday.6", "Fr"),
    ("calendar.weekday.7", "Sa"),
    ("statistics.all", "%@, %@ insgesamt."),
    ("statistics.fast", "1-mal gefastet"),
    ("statistics.fasts", "%@-mal gefastet"),
    ("statistics.longest", "Am längsten waren es %@, bis %@."),
    ("statistics.more", "%@ weitere: `--months %@` zeigt sie alle."),
    ("statistics.heading.month", "Monat"),
    ("statistics.heading.target", "Ziel"),
    ("statistics.heading.count", "Zahl"),
    ("statistics.heading.sum", "Summe"),
    ("statistics.heading.longest", "Längstes"),
  ]

  private static let germanWater: [(key: String, text: String)] = [
    ("water.inline.header", "Heute"),
    ("water.total.a11y", "%@ Wasser heute"),
    ("water.quickAdd", "%@ hinzufügen"),
    ("water.empty", "Noch ist nichts notiert."),
    ("water.remove", "Entfernen"),
  ]

  private static let germanSettings: [(key: String, text: String)] = [
    ("settings.title", "Einstellungen"),
    ("settings.fasting.title", "Fasten"),
    ("settings.fasting.target", "Ziel"),
    ("settings.fasting.note", "Das ist ein Anhaltspunkt, keine Vorgabe."),
    ("settings.hydration.title", "Trinken"),
    ("settings.hydration.unit", "Einheit"),
    ("settings.hydration.quickAdd", "Schnell notiert"),
    ("settings.premium.title", "Premium"),
    ("settings.premium.go", "Zu Premium"),
    ("settings.data.title", "Deine Daten"),
    ("settings.data.export", "Exportieren"),
    ("settings.data.import", "Importieren"),
    ("settings.data.note", "Deine Daten liegen nur auf diesem Gerät."),
    (
      "settings.data.noteSynced",
      "Deine Daten liegen auf deinen Geräten und auf dem Server, mit dem du sie gekoppelt hast."
    ),
    ("settings.account.title", "Konto"),
    ("settings.account.manage", "Abo verwalten"),
    ("settings.account.restore", "Käufe wiederherstellen"),
    ("settings.legal.title", "Rechtliches"),
    ("settings.legal.terms", "Nutzungsbedingungen"),
    ("settings.legal.privacy", "Datenschutz"),
  ]

  private static let germanPremium: [(key: String, text: String)] = [
    (
      "transition.body",
      "Zehnmal hast du hier gefastet, in aller Stille.\n\nDer Timer, seine Begleiter und dein "
        + "Wasser bleiben, wie sie sind, solange du magst. Mit Atrest bleibt auch der Wald, "
        + "und jeder Monat des Kalenders.\n\nBeides ist ein guter Weg."
    ),
    ("transition.continue", "Weiter mit Atrest"),
    ("transition.later", "Vielleicht später"),
    (
      "paywall.values",
      "Atrest soll still bleiben. Es zeigt keine Werbung, will keine Aufmerksamkeit und "
        + "verkauft nichts über dich."
    ),
    (
      "paywall.description",
      "Ein Baum für jedes Fasten, vom ersten an, in einem Wald, durch den du gehen kannst. "
        + "Jedes Fasten im Kalender, wie lange es auch her ist."
    ),
    ("paywall.annual", "29 $ im Jahr"),
    ("paywall.lifetime", "79 $ einmalig"),
    ("paywall.restore", "Käufe wiederherstellen"),
    ("paywall.appleNote", "Bezahlt wird über deinen Apple Account."),
    (
      "paywall.renewalNote",
      "Der Jahresplan verlängert sich jedes Jahr für 29 $, bis du ihn in den Einstellungen "
        + "deines Apple Accounts kündigst, spätestens 24 Stunden vor Ablauf des Jahres."
    ),
    ("paywall.status.processing", "Einen Moment."),
    (
      "paywall.status.error",
      "Das hat nicht geklappt. Du kannst es noch einmal versuchen, wann immer du magst."
    ),
    ("paywall.status.success", "Danke. Dein Wald steht dir offen."),
  ]

  private static let germanMilestones: [(key: String, text: String)] = [
    ("milestone.digestion_completing.name", "Verdauung klingt aus"),
    (
      "milestone.digestion_completing.text",
      "Dein Körper ist wahrscheinlich noch mit der letzten Mahlzeit beschäftigt."
    ),
    ("milestone.beginning_to_shift.name", "beginnender Wechsel"),
    (
      "milestone.beginning_to_shift.text",
      "Das Insulin sinkt jetzt meist, und der Körper kann beginnen, auf Vorräte zurückzugreifen."
    ),
    ("milestone.metabolic_transition.name", "Stoffwechsel im Übergang"),
    (
      "milestone.metabolic_transition.text",
      "Dein Körper geht vielleicht von seinen Zuckervorräten zum Fett über."
    ),
    ("milestone.deeper_rhythm.name", "tieferer Rhythmus"),
    (
      "milestone.deeper_rhythm.text",
      "Fett macht jetzt wahrscheinlich mehr von dem aus, wovon du zehrst; vielleicht kehrt ein "
        + "ruhigerer Rhythmus ein."
    ),
    ("milestone.extended_fast.name", "längeres Fasten"),
    (
      "milestone.extended_fast.text",
      "Ein langes Fasten. Dein Körper kümmert sich vielleicht um langsamere Arten der Pflege."
    ),
    ("milestone.prolonged_fast.name", "sehr langes Fasten"),
    (
      "milestone.prolonged_fast.text",
      "Ein sehr langes Fasten. Dein Körper lebt wahrscheinlich von seinen Vorräten; achte darauf, "
        + "wie es dir geht, und beende es, wann immer du magst."
    ),
  ]

  /// Vigil. The lines of Scripture follow the German tradition of their wording.
  private static let germanVigil: [(key: String, text: String)] = [
    ("vigil.section.title", "Vigil"),
    (
      "vigil.section.explanation",
      "Begleitet dein Fasten mit Worten der Schrift und stillen Gedanken."
    ),
    ("vigil.fastStart", "Du hast diese Zeit ausgesondert."),
    (
      "vigil.milestone.digestionCompleting.companion",
      "Noch ist es einfach eine Wahl — ein stilles Aussondern von Stunden."
    ),
    (
      "vigil.milestone.beginningToShift.companion",
      "Was empfangen wurde, wird nun gehütet — und behutsam davon genommen."
    ),
    (
      "vigil.milestone.metabolicTransition.companion",
      "Hier wird aus dem Entschluss zu bleiben oft eine eigene stille Übung."
    ),
    (
      "vigil.milestone.deeperRhythm.companion",
      "Nicht nur der Körper findet einen Rhythmus — etwas Stilleres lässt sich daneben nieder."
    ),
    (
      "vigil.milestone.extendedFast.companion",
      "Seit Jahrtausenden gilt so langes Fasten als eine Weise, Raum zu schaffen."
    ),
    (
      "vigil.milestone.prolongedFast.companion",
      "Achte darauf, wie es dir geht — und was sonst in der Stille auftaucht."
    ),
    ("vigil.milestone.digestionCompleting.scripture", "Dies ist der Tag."),
    ("vigil.milestone.digestionCompleting.citation", "Psalm 118"),
    ("vigil.milestone.beginningToShift.scripture", "Mir wird nichts mangeln."),
    ("vigil.milestone.beginningToShift.citation", "Psalm 23"),
    (
      "vigil.milestone.metabolicTransition.scripture",
      "Wenn du hindurchgehst, will ich bei dir sein."
    ),
    ("vigil.milestone.metabolicTransition.citation", "Jesaja 43"),
    ("vigil.milestone.deeperRhythm.scripture", "Seid stille und erkennt."),
    ("vigil.milestone.deeperRhythm.citation", "Psalm 46"),
    ("vigil.milestone.extendedFast.scripture", "Nicht vom Brot allein."),
    ("vigil.milestone.extendedFast.citation", "Matthäus 4"),
    ("vigil.milestone.prolongedFast.scripture", "Erforsche mich und erkenne mein Herz."),
    ("vigil.milestone.prolongedFast.citation", "Psalm 139"),
    ("vigil.arrival.0", "Zu jeder Zeit bringt er seine Frucht."),
    ("vigil.arrival.0.citation", "Offenbarung 22"),
    ("vigil.arrival.1", "Was in dir begonnen wurde, wird zur Vollendung getragen."),
    ("vigil.arrival.1.citation", "Philipper 1"),
    ("vigil.arrival.2", "Ein jegliches hat seine Zeit."),
    ("vigil.arrival.2.citation", "Prediger 3"),
    ("vigil.arrival.3", "Der Herr segne dich und behüte dich."),
    ("vigil.arrival.3.citation", "4. Mose 6"),
    ("vigil.arrival.4", "Du bereitest vor mir einen Tisch."),
    ("vigil.arrival.4.citation", "Psalm 23"),
    ("vigil.idle.0", "Die Erde ist voll deiner Güte."),
    ("vigil.idle.0.citation", "Psalm 119"),
    ("vigil.idle.1", "Alle Morgen neue Barmherzigkeit."),
    ("vigil.idle.1.citation", "Klagelieder 3"),
    ("vigil.idle.2", "Die Himmel erzählen."),
    ("vigil.idle.2.citation", "Psalm 19"),
    ("vigil.idle.3", "Er führt mich zu stillen Wassern."),
    ("vigil.idle.3.citation", "Psalm 23"),
    ("vigil.idle.4", "In ihm besteht alles."),
    ("vigil.idle.4.citation", "Kolosser 1"),
    ("vigil.idle.5", "Groß ist deine Treue."),
    ("vigil.idle.5.citation", "Klagelieder 3"),
    ("vigil.idle.6", "Deine Hände haben mich gemacht und bereitet."),
    ("vigil.idle.6.citation", "Psalm 119"),
    ("vigil.idle.7", "Auch die Finsternis ist nicht finster bei dir."),
    ("vigil.idle.7.citation", "Psalm 139"),
    ("vigil.idle.8", "In Umkehr und Ruhe liegt euer Heil."),
    ("vigil.idle.8.citation", "Jesaja 30"),
    ("vigil.idle.9", "Seht die Vögel des Himmels an."),
    ("vigil.idle.9.citation", "Matthäus 6"),
    ("vigil.forest.inscription", "Betrachtet, wie sie wachsen."),
    ("vigil.forest.inscription.citation", "Lukas 12"),
    ("vigil.a11y.scripture", "Aus der Schrift: %@"),
    ("vigil.a11y.citation", "Aus %@"),
  ]

  private static let germanProblems: [(key: String, text: String)] = [
    (
      "problem.notATime",
      "Diese Zeit kann ich nicht lesen. Versuche `22:30`, `gestern 22:30`, `vor 2h`, `jetzt` oder "
        + "`2026-11-21T22:30`."
    ),
    (
      "problem.skippedTime",
      "Die Uhren wurden über diese Zeit hinweg vorgestellt, es gab sie also nicht. Nimm eine Zeit "
        + "davor oder danach."
    ),
    (
      "problem.notADuration",
      "Diese Dauer kann ich nicht lesen. Versuche `16h`, `16h30m` oder `90m`."
    ),
    (
      "problem.notAnAmount",
      "Diese Menge kann ich nicht lesen. Versuche `250`, `250ml`, `0,5l` oder `8oz`."
    ),
    (
      "problem.ambiguousAmount",
      "Manche lesen das als tausend, andere als eins. Schreib es ohne Trennzeichen, als "
        + "`1000ml`, oder als `1l`."
    ),
    ("problem.inTheFuture", "Diese Zeit ist noch nicht da. Gib eine an, die vergangen ist."),
    ("problem.longAgo", "Diese Zeit liegt vor 1970. Gib eine spätere an."),
    (
      "problem.endBeforeStart",
      "Ein Fasten kann nicht enden, bevor es beginnt. Gib ein späteres Ende oder einen früheren "
        + "Beginn an."
    ),
    (
      "problem.openWithEnd",
      "Ein Fasten, das weitergeht, hat kein Ende. Gib ein Ende oder `active` an, nicht beides."
    ),
    ("problem.endMissing", "Dieses Fasten hat noch kein Ende. Sag mit `--end`, wann es war."),
    (
      "problem.fastTooLong",
      "Das wäre ein Fasten von mehr als 14 Tagen. Gib einen späteren Beginn an, oder wann es "
        + "geendet hat."
    ),
    (
      "problem.amountOutOfRange",
      "Ein Eintrag fasst 1 ml bis 5000 ml. Gib eine Menge dazwischen an, oder mehrere Einträge."
    ),
    (
      "problem.ouncesOutOfRange",
      "Ein Eintrag fasst 0,1 fl oz bis 169 fl oz. Gib eine Menge dazwischen an, oder mehrere "
        + "Einträge."
    ),
    (
      "problem.targetOutOfRange",
      "Ein Ziel liegt zwischen 1 Minute und 7 Tagen. Wähle eines dazwischen, etwa `16h`."
    ),
    ("problem.notASwitch", "Das ist weder an noch aus. Sag `an` oder `aus`."),
    ("problem.notAUnit", "Diese Einheit kenne ich nicht. Sag `ml` oder `oz`."),
    (
      "problem.unknownSetting",
      "Eine Einstellung dieses Namens gibt es nicht. Versuche `target`, `unit`, `quick-add`, "
        + "`vigil` oder `notice`."
    ),
    (
      "problem.notAMonth",
      "Diesen Monat kann ich nicht lesen. Versuche `2026-11`, `november`, `nov 2026` oder `last`."
    ),
    (
      "problem.notForPeople",
      "Diese Einstellung führt das Programm selbst. Versuche `target`, `unit`, `quick-add`, "
        + "`vigil` oder `notice`."
    ),
    (
      "refusal.alreadyActive",
      "Du fastest schon. Schließe das erst ab oder lass es los; `atrest status` zeigt es."
    ),
    ("refusal.nothingActive", "Du fastest gerade nicht. `atrest fast start` beginnt."),
    (
      "refusal.targetOutOfRange",
      "Ein Ziel liegt zwischen einer Minute und 14 Tagen. Wähle ein anderes."
    ),
  ]

  /// Every key with its German text.
  static let german: [(key: String, text: String)] =
    germanTimer + germanForest + germanCalendar + germanWater + germanSettings + germanPremium
    + germanMilestones + germanVigil + germanProblems
}
