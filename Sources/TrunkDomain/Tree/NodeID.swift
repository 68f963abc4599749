// SPDX-License-Identifier: Apache-2.0
// The parts of the tree, and how they are named and typed.

import AtrestReplication

/// A part of the tree that a person can name: the trunk, a branch or a twig.
public enum NodeID: RecordIdentifier {
  /// The whole.
  case trunk
  /// A branch, 0 to 7.
  case branch(Int)
  /// A twig.
  case twig(Twig)

  /// The node as it is stored: `trunk`, `branch-2`, `branch-2-twig-4`; nil for anything else.
  public init?(id text: String) {
    if text == "trunk" {
      self = .trunk
      return
    }
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count >= 2, parts[0] == "branch", let branch = Self.digit(parts[1]),
      branch < Twig.branches
    else { return nil }
    if parts.count == 2 {
      self = .branch(branch)
      return
    }
    guard parts.count == 4, parts[2] == "twig", let place = Self.digit(parts[3]),
      let twig = Twig(branch: branch, place: place)
    else { return nil }
    self = .twig(twig)
  }

  /// The node as people type it: `trunk`, `3`, `3.5`; nil for anything else.
  public init?(typed text: String) {
    if text == "trunk" {
      self = .trunk
    } else if let twig = Twig(typed: text) {
      self = .twig(twig)
    } else if let branch = Self.digit(text[...]), (1...Twig.branches).contains(branch) {
      self = .branch(branch - 1)
    } else {
      return nil
    }
  }

  /// As it is stored.
  public var id: String {
    switch self {
    case .trunk: "trunk"
    case .branch(let branch): "branch-\(branch)"
    case .twig(let twig): twig.id
    }
  }

  /// The name that it has without a label: `the trunk`, `branch 3`, `twig 3.5`.
  public var plainName: String {
    switch self {
    case .trunk: "the trunk"
    case .branch(let branch): "branch \(branch + 1)"
    case .twig(let twig): "twig \(twig.number)"
    }
  }

  /// The record's id: the stored text in UTF-8.
  public var bytes: [UInt8] { Array(id.utf8) }

  /// The node of a record's id; nil for anything else.
  public init?(bytes: [UInt8]) {
    guard bytes.count <= 32, let text = String(validating: bytes, as: UTF8.self) else { return nil }
    self.init(id: text)
  }

  /// A number of one digit.
  static func digit(_ text: Substring) -> Int? {
    let bytes = Array(text.utf8)
    guard bytes.count == 1, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[0]) else {
      return nil
    }
    return Int(bytes[0] - UInt8(ascii: "0"))
  }
}
