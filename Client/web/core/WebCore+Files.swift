// SPDX-License-Identifier: Apache-2.0
// Writes the replica into a file, and brings a file in: the format of every device.

import AtrestDomain
import AtrestReplication
import AtrestSync
import AtrestTransfer
import AtrestWire

extension WebCore {
  /// The export: all that is not deleted.
  func export(_ now: WallTime) throws(CoreFailure) -> Answer {
    let writer = try read(now) { work throws(CoreFailure) in
      let records = work.records
      return try told { () throws(ReplicaError) in
        var writer = AtrestWriter()
        try records.forEachRecord { record throws(ReplicaError) in writer.add(record) }
        return writer
      }
    }
    let day = LocalDay(now, in: environment.zone).iso
    let kinds = writer.counts.sorted { $0.key < $1.key }.map { noun($0.key).counted($0.value) }
    let words =
      kinds.isEmpty
      ? Language.text("There is nothing to export yet.", de: "Es gibt noch nichts zu exportieren.")
      : Language.text(
        "Exported: \(kinds.joined(separator: ", ")). The file says when you fasted and drank.",
        de: "Exportiert: \(kinds.joined(separator: ", ")). Die Datei sagt, wann du gefastet und "
          + "getrunken hast.")
    var answer = Answer.result(
      .members(
        ("name", .text("atrest-\(day).jsonl")), ("words", .text(words)),
        ("records", .count(writer.counts.values.reduce(0, +)))))
    answer.messages = [writer.file(madeAt: now, program: ProgramVersion.text)]
    return answer
  }

  /// What an import would do.
  func preview(
    _ argument: Arguments, _ file: [UInt8], _ now: WallTime
  ) throws(CoreFailure) -> JSON {
    let file = try readImport(file, now)
    let preferFile = try argument.flag("preferFile")
    let report = try read(now) { work throws(CoreFailure) in
      try plan(file, preferFile: preferFile, work).report
    }
    let zone = environment.zone
    let lines = report.lines(
      time: { TimeText.near($0, now: now, in: zone) }, count: { self.noun($1).counted($0) },
      hint: Language.text(
        "You can take the file's instead.",
        de: "Du kannst stattdessen nehmen, was in der Datei steht."))
    let total = report.total
    return .members(
      ("lines", .array(lines.map { .text($0) })),
      ("changesAnything", .bool(report.changesAnything)),
      ("differs", .bool(preferFile || total.kept + total.deletedHere > 0)),
      ("new", .count(total.new)), ("updated", .count(total.updated)),
      ("known", .count(total.known)))
  }

  /// Brings a file in, in one transaction. The same file again changes nothing.
  func importFile(
    _ argument: Arguments, _ file: [UInt8], _ now: WallTime
  ) throws(CoreFailure) -> JSON {
    let file = try readImport(file, now)
    let preferFile = try argument.flag("preferFile")
    return try write(now) { work throws(CoreFailure) in
      let plan = try plan(file, preferFile: preferFile, work)
      try undoable(.import, &work) { work throws(CoreFailure) in
        do throws(ReplicaError) {
          for step in plan.steps where !step.values.isEmpty {
            if let transaction = step.entry.signedTransaction {
              try work.keep(signedTransaction: transaction)
            } else {
              try work.write(step.key, step.values.map { ($0.field, $0.bytes) })
            }
          }
          for session in plan.finished { try work.save(session) }
          if let active = plan.active { try work.save(active) }
        } catch { throw CoreFailure(error) }
      }
      let isAlone = work.tables.state.token == nil
      return .members(("words", .text(plan.report.done(isAlone: isAlone))))
    }
  }

  private func readImport(_ bytes: [UInt8], _ now: WallTime) throws(CoreFailure) -> ImportFile {
    do throws(PortabilityError) {
      let file = try Portability.parse(bytes)
      try file.check(now: now)
      return file
    } catch .invalidFormat(nil) {
      throw CoreFailure(
        code: "input",
        Language.text(
          "This is no export of Atrest or of its iOS app. Choose a file that one of them exported, "
            + "or bring another app's in on a computer, with `atrest import`.",
          de: "Das ist kein Export von Atrest oder seiner iOS-App. Wähle eine Datei, die eines von "
            + "beiden exportiert hat, oder hole die einer anderen App auf einem Computer herein, mit "
            + "`atrest import`."))
    } catch {
      throw CoreFailure(code: "input", error.userMessage)
    }
  }

  private func plan(
    _ file: ImportFile, preferFile: Bool, _ work: Work
  ) throws(CoreFailure) -> ImportPlan {
    try told { () throws(ReplicaError) in
      let undone = try work.undoneImports()
      return try ImportPlan(
        file, preferFile: preferFile, now: work.now,
        stored: { key throws(ReplicaError) in
          undone.contains(key) ? nil : try work.records.record(key)
        },
        sessions: { () throws(ReplicaError) in
          try work.records.all(.session) { try? Session($0) }
        })
    }
  }
}
