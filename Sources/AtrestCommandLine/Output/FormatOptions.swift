// SPDX-License-Identifier: Apache-2.0
// Whether programs or people read an answer.

import ArgumentParser

/// How an answer is written.
public struct FormatOptions: ParsableArguments, Sendable {
  /// Whether programs read it.
  @Flag(name: .customLong("json"), help: "Write JSON with stable field names.")
  public var isJSON = false

  /// The options of a command line without them.
  public init() {}

  /// Writes a value for programs, or words for people, to standard output; the words wrapped where
  /// a terminal is too narrow for them.
  ///
  /// - Throws: `EncodingError` if the value has no JSON.
  public func answer<Value: Encodable>(
    _ value: @autoclosure () throws -> Value, _ words: @autoclosure () -> String
  ) throws {
    guard !isJSON else { return Terminal.say(try JSON.text(value())) }
    let words = words()
    Terminal.say(Terminal.readColumns.map { Wrapping.prose(words, columns: $0) } ?? words)
  }
}
