// SPDX-License-Identifier: Apache-2.0
// Which views there are, and what several of them share.

import AtrestDomain
import AtrestPresentation
import AtrestReplication
import AtrestSync

extension WebCore {
  func view(
    _ name: String, _ argument: Arguments, _ now: WallTime
  ) throws(CoreFailure) -> JSON {
    try read(now) { work throws(CoreFailure) in
      switch name {
      case "timer": try timer(argument, &work)
      case "water": try water(argument, &work)
      case "forest": try forest(argument, &work)
      case "tree": try tree(argument, &work)
      case "calendar": try calendar(argument, &work)
      case "history": try history(argument, &work)
      case "settings": try settings(&work)
      case "paywall": try paywall(&work)
      case "transition": try transition(&work)
      case "conflicts": try conflicts(&work)
      case "replica": try replica(&work)
      case "qr": try code(argument)
      case "words": .object(ShellWord.allCases.map { JSON.Member($0.rawValue, .text($0.text)) })
      case "garden": try garden(argument, &work)
      case "sprout": try sprout(argument, &work)
      case "plan": try plan(argument, &work)
      case "journal": try journal(argument, &work)
      case "garden.words": GardenWord.all
      default: throw .misuse("the view \(name) is unknown")
      }
    }
  }

  /// The picture of a link for another device's camera; none of a text that is too long.
  private func code(_ argument: Arguments) throws(CoreFailure) -> JSON {
    let text = try argument.required(argument.text("text"))
    return .members(
      ("svg", QRSymbol(Array(text.utf8)).map { .text($0.svg(title: ShellWord.scan.text)) }))
  }

  // MARK: What views share

  func settings(of work: Work) throws(CoreFailure) -> Settings {
    try Settings { name throws(CoreFailure) in try self.preference(name, in: work) }
  }

  func preference(_ name: String, in work: Work) throws(CoreFailure) -> String? {
    try told { () throws(ReplicaError) in try work.preference(name) }
  }

  /// What the account may use. This core cannot verify purchases: with one in the replica, or while
  /// one may still be on its way here, it does not know, and what it does not know takes nothing
  /// away.
  func entitlement(in work: Work) throws(CoreFailure) -> Entitlement {
    try told { () throws(ReplicaError) in
      let purchases = try work.records.all(.entitlement) { $0.key }
      guard purchases.isEmpty, work.tables.state.holdsEverything else { return .unknown }
      return TrialPolicy.entitlement(
        isPurchased: false, completed: try work.listings.completedCount())
    }
  }

  func session(_ id: RecordUUID, in work: Work) throws(CoreFailure) -> Session {
    let session = try told { () throws(ReplicaError) in try work.session(id) }
    guard let session else {
      throw CoreFailure(
        code: "notFound",
        Language.text(
          "This fast is not here any more. Go back to the list.",
          de: "Dieses Fasten ist nicht mehr hier. Geh zurück zur Liste."))
    }
    return session
  }

  func history(
    in work: Work, from: WallTime? = nil, before: WallTime? = nil, limit: Int? = nil
  ) throws(CoreFailure) -> [Session] {
    try told { () throws(ReplicaError) in
      try work.listings.history(from: from, before: before, limit: limit)
    }
  }

  func gates(_ entitlement: Entitlement) -> JSON {
    func gate(_ gate: FeatureGate) -> JSON { .bool(gate.isOpen(for: entitlement)) }
    return .members(
      ("entitlement", .text(entitlement.rawValue)), ("forest", gate(.forest)),
      ("paywall", gate(.paywall)), ("account", gate(.account)), ("goPremium", gate(.goPremium)))
  }

  func fast(_ session: Session, at now: WallTime, with lines: [String]? = nil) -> JSON {
    let elapsed = session.elapsedMilliseconds(at: now)
    let state: JSON? =
      switch TreeMapper.state(of: session) {
      case .established: "established"
      case .incomplete: "incomplete"
      case .materialising, nil: nil
      }
    let outcome =
      switch session.span.outcome {
      case .active: "active"
      case .completed: "completed"
      case .abandoned: "abandoned"
      }
    var tone: JSON?
    if case .tone(let number)? = CalendarEntry(session)?.dot { tone = .count(number) }
    return .members(
      ("id", .text(session.id.uuidString.lowercased())), ("start", .time(session.span.start)),
      ("end", session.span.end.map(JSON.time)), ("outcome", .text(outcome)), ("tone", tone),
      ("target", .integer(Int64(session.targetMinutes) * 60_000)),
      ("elapsed", .integer(elapsed)), ("state", state),
      ("words", .text(ElapsedText.text(milliseconds: elapsed))),
      ("lines", lines.map { .array($0.map { .text($0) }) }))
  }

  func scripture(_ fragment: ScriptureFragment?) -> JSON? {
    fragment.map {
      .members(
        ("line", .text($0.text)), ("citation", .text($0.citation)),
        ("spoken", .text($0.spokenText)), ("spokenCitation", .text($0.spokenCitation)))
    }
  }

  func amount(_ millilitres: Int, _ settings: Settings) -> JSON {
    .text(AmountText.text(millilitres: millilitres, unit: settings.waterUnit))
  }

  /// Whether the person is still to be told what comes after the trial.
  func isTransitionDue(_ entitlement: Entitlement, in work: Work) throws(CoreFailure) -> Bool {
    let dismissed = try preference(TransitionMoment.dismissedKey, in: work)
    let completed = try told { () throws(ReplicaError) in try work.listings.completedCount() }
    return TransitionMoment.isDue(
      completed: completed, dismissed: dismissed, entitlement: entitlement)
  }
}
