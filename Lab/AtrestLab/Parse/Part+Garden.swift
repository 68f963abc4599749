// SPDX-License-Identifier: Apache-2.0
// Parses single values of gardens: twigs, plans, results, words, soil. Written as for `trunk`.

import TrunkDomain

extension Part {
  func twig() throws(ScenarioError) -> Twig {
    guard case .text(let text) = content, let twig = Twig(typed: text) else {
      throw expected("a twig such as 3.5, the branch and the twig from 1 to 8")
    }
    return twig
  }

  func node() throws(ScenarioError) -> NodeID {
    guard case .text(let text) = content, let node = NodeID(typed: text) else {
      throw expected("`trunk`, a branch such as 3 or a twig such as 3.5")
    }
    return node
  }

  func season() throws(ScenarioError) -> Season {
    guard case .text(let text) = content, let season = Season(code: text) else {
      throw expected("a season (\(Season.allCases.map(\.code).joined(separator: ", ")))")
    }
    return season
  }

  func environment() throws(ScenarioError) -> Environment {
    guard case .text(let text) = content, let environment = Environment(code: text) else {
      throw expected("an environment (\(Environment.allCases.map(\.code).joined(separator: ", ")))")
    }
    return environment
  }

  func result() throws(ScenarioError) -> HarvestResult {
    guard case .text(let text) = content,
      let result = Int64(text).flatMap(HarvestResult.init(rawValue:))
    else { throw expected("a result from 1 to 5") }
    return result
  }

  func state() throws(ScenarioError) -> GardenExpectation.State {
    guard case .text(let text) = content, let state = GardenExpectation.State(rawValue: text) else {
      let names = GardenExpectation.State.allCases.map(\.rawValue).joined(separator: ", ")
      throw expected("a sprout's state (\(names))")
    }
    return state
  }

  /// One line of words within a rule of the garden. Spaces around them mean nothing.
  ///
  /// - Parameter rule: Throws its own sentence for too few or too many characters.
  func words(
    _ rule: (String) throws(GardenProblem) -> String?
  ) throws(ScenarioError) -> String {
    guard case .text(let text) = content, text.unicodeScalars.allSatisfy(Part.isPlain) else {
      throw expected("words in one line")
    }
    do throws(GardenProblem) {
      return try rule(text) ?? ""
    } catch {
      throw self.error("\(error.userMessage.dropLast()), not \(found)")
    }
  }

  /// Words of a garden, or `none`.
  func wordsOrNone() throws(ScenarioError) -> String? {
    let text = try text("words, or `none`")
    return text == "none" ? nil : text
  }

  /// Soil to the hundredth, as a scenario expects it.
  func soil() throws(ScenarioError) -> Soil {
    guard let soil = hundredths(), soil <= .greatestCapacity else {
      throw expected("soil to the hundredth, such as 7.35 or -2.00, at most 120")
    }
    return soil
  }

  /// Capacity to the hundredth, as a scenario expects it.
  func capacity() throws(ScenarioError) -> Soil {
    guard let capacity = hundredths(), (Soil.start...Soil.greatestCapacity).contains(capacity)
    else { throw expected("a capacity to the hundredth, from 10 to 120") }
    return capacity
  }

  /// A number of what there are only few of.
  func count(_ what: String, atMost limit: Int) throws(ScenarioError) -> Int {
    guard case .text(let text) = content, let number = Int(text), (0...limit).contains(number)
    else { throw expected("\(what) from 0 to \(limit)") }
    return number
  }

  private func hundredths() -> Soil? {
    guard case .text(var text) = content else { return nil }
    let sign = text.hasPrefix("-") ? -1 : 1
    if sign < 0 { text.removeFirst() }
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count <= 2, let first = parts.first, (1...6).contains(first.utf8.count),
      parts.allSatisfy({ $0.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains) }),
      let whole = Int(first)
    else { return nil }
    guard parts.count == 2 else { return Soil(hundredths: sign * whole * 100) }
    guard (1...2).contains(parts[1].utf8.count), let rest = Int(parts[1]) else { return nil }
    return Soil(hundredths: sign * (whole * 100 + (parts[1].utf8.count == 1 ? rest * 10 : rest)))
  }
}
