// SPDX-License-Identifier: Apache-2.0
// A fuzz target: a name, a body for arbitrary bytes, and initial inputs.

/// One entry point for external bytes, with the laws that hold for all of them.
///
/// The same bodies run under libFuzzer (`make fuzz`) and, over the corpus, in the ordinary tests.
public struct FuzzTarget: Sendable {
  /// The name of the target and of its corpus.
  public let name: String
  /// Maximum useful input size in bytes.
  public let limitBytes: Int
  /// Passes the bytes to the code under test. A trap or a thrown error is a finding.
  public let run: @Sendable (_ input: [UInt8]) throws -> Void
  /// Inputs from real encodings, by name.
  public let seeds: @Sendable () throws -> [(name: String, input: [UInt8])]

  /// Every target in execution order.
  public static let all: [FuzzTarget] = [
    .record, .request, .details, .framing, .http2, .client, .link, .jws, .files, .importing,
    .scenario,
  ]
}

/// A law that an input broke.
public struct BrokenLaw: Error, CustomStringConvertible {
  /// The law in words.
  public let description: String
}

/// Throws if a law does not hold.
func law(_ holds: Bool, _ words: @autoclosure () -> String) throws(BrokenLaw) {
  guard holds else { throw BrokenLaw(description: words()) }
}
