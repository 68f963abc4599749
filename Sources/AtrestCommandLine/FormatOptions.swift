// SPDX-License-Identifier: Apache-2.0
// Whether programs or people read an answer.

import ArgumentParser

/// How an answer is written.
package struct FormatOptions: ParsableArguments {
  /// Whether programs read it.
  @Flag(name: .customLong("json"), help: "Write JSON with stable field names.")
  package var isJSON = false

  package init() {}
}
