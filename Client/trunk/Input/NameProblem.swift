// SPDX-License-Identifier: Apache-2.0
// Why typed words do not name one sprout or leaf.

/// Why typed words do not name one thing of the garden.
enum NameProblem: Error, Hashable {
  /// Nothing is called so.
  case unknown(String)
  /// Several things are; at most ten are listed.
  case ambiguous(String, count: Int, matches: [String])

  /// What happened, then what to do.
  var userMessage: String {
    switch self {
    case .unknown(let noun):
      return "No \(noun) is called so, and none has an id that begins so. "
        + (noun == "leaf" ? "`trunk leaf list`" : "`trunk list --all`") + " shows what there is."
    case .ambiguous(let nouns, let count, let matches):
      let rest = count - matches.count
      let lines = matches + (rest > 0 ? ["and \(rest) more"] : [])
      return "\(count) \(nouns) fit. Type more of the name, or the beginning of the id:\n"
        + lines.map { "  " + $0 }.joined(separator: "\n")
    }
  }
}
