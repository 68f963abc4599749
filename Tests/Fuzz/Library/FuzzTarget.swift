// SPDX-License-Identifier: Apache-2.0
// What a fuzz target is: a name, a body that any bytes may be given to, and inputs to begin with.

/// One entrance for bytes from outside, with the laws that hold whatever they are.
///
/// The same bodies run under libFuzzer (`make fuzz`) and, over the corpus, in the ordinary tests.
public struct FuzzTarget: Sendable {
  /// Names its corpus, too.
  public let name: String
  /// Bytes of the longest input that is worth trying.
  public let limitBytes: Int
  /// Gives the bytes to the code under test. A trap in there is a finding, and so is what it
  /// throws.
  public let run: @Sendable (_ input: [UInt8]) throws -> Void
  /// Inputs made of real encodings, by name.
  public let seeds: @Sendable () throws -> [(name: String, input: [UInt8])]

  /// Every target, in the order in which they run.
  public static let all: [FuzzTarget] = [
    .record, .request, .framing, .http2, .client, .link, .jws, .files, .importing,
    .scenario,
  ]
}

/// A law that an input broke.
public struct BrokenLaw: Error, CustomStringConvertible {
  /// The law, in words.
  public let description: String
}

/// Holds the code under test to a law.
func law(_ holds: Bool, _ words: @autoclosure () -> String) throws(BrokenLaw) {
  guard holds else { throw BrokenLaw(description: words()) }
}
