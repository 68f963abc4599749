// SPDX-License-Identifier: Apache-2.0
// Words for the garden's records among those that lost against a later write.

import AtrestDomain
import AtrestReplication
import AtrestWire
import TrunkDomain

extension WebCore {
  /// A value in words; nil for one that is not the garden's.
  func gardenText(of register: Register, _ kind: RecordKind) -> String? {
    let fields = RecordFields(register)
    guard let value = GardenValue(register.field, of: kind, in: fields) else { return nil }
    let words: String? =
      switch value {
      case .title(let text), .name(let text), .setting(let text): text
      case .label(let text), .note(let text), .prompt(let text), .bloom(_, let text): text
      case .twig(let twig): twig.map { "twig \($0.number)" }
      case .plan(let plan): plan?.label
      case .planting(let planting): planting.map { "planted \(moment($0.at)), \($0.plan.label)" }
      case .outcome(let outcome): outcome.map { ended($0) }
      case .leaf(let leaf): leaf == nil ? nil : "a leaf"
      case .created(let time): "created \(moment(time))"
      case .watered(let time), .shone(let time): time.map { moment($0) }
      }
    return words ?? "nothing"
  }

  private func ended(_ outcome: Sprout.Outcome) -> String {
    let words =
      outcome.result.map { "harvested \(moment(outcome.at)), \($0.rawValue) of 5" }
      ?? "uprooted \(moment(outcome.at))"
    return outcome.reflection.map { "\(words), \u{201C}\($0)\u{201D}" } ?? words
  }
}
