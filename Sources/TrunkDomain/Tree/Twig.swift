// SPDX-License-Identifier: Apache-2.0
// A twig, and how it is named and typed.

/// A twig: one of 64.
public struct Twig: Hashable, Comparable, Sendable {
  /// The branch, from 0.
  public let branch: Int
  /// The place on the branch, from 0.
  public let place: Int

  /// Branches of the tree.
  public static let branches = 8
  /// Twigs of a branch.
  public static let perBranch = 8

  /// A twig; nil if there is no such one.
  public init?(branch: Int, place: Int) {
    guard (0..<Self.branches).contains(branch), (0..<Self.perBranch).contains(place) else {
      return nil
    }
    (self.branch, self.place) = (branch, place)
  }

  /// The twig as it is stored, `branch-2-twig-4`; nil for anything else.
  public init?(id: String) {
    guard case .twig(let twig)? = NodeID(id: id) else { return nil }
    self = twig
  }

  /// The twig as people type it, `3.5`, counting from 1; nil for anything else.
  public init?(typed text: String) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 2, let branch = NodeID.digit(parts[0]), let place = NodeID.digit(parts[1])
    else { return nil }
    self.init(branch: branch - 1, place: place - 1)
  }

  /// As it is stored: `branch-2-twig-4`.
  public var id: String { "branch-\(branch)-twig-\(place)" }
  /// As people type and read it, counting from 1: `3.5`.
  public var number: String { "\(branch + 1).\(place + 1)" }

  /// Its position among all twigs, 0 to 63.
  public var index: Int { branch * Self.perBranch + place }

  /// All twigs, branch by branch.
  public static let all: [Twig] = (0..<branches).flatMap { branch in
    (0..<perBranch).compactMap { Twig(branch: branch, place: $0) }
  }

  /// Orders twigs by their place in the tree.
  public static func < (a: Twig, b: Twig) -> Bool { a.index < b.index }
}
