// SPDX-License-Identifier: Apache-2.0
// Decides when so much would be deleted that a person should be asked first. Pure.

/// Guards an account against a broken program, or a hand that slipped. A device asks before it
/// sends; the server asks of what nobody was asked about.
package enum MassDeletion {
  /// Accounts with fewer records that are not deleted are not guarded: there, half is soon reached.
  package static let guardedFrom = 20

  /// Whether so many deletions could need a person's word in any account. Tells when it is not
  /// worth counting what the account holds.
  package static func mayNeedWord(deletions: Int) -> Bool {
    deletions * 2 > guardedFrom
  }

  /// Whether deletions need a person's word: they would leave less than half.
  ///
  /// - Parameter live: The records that are not deleted before, the journal not counted.
  package static func needsWord(deletions: Int, of live: Int) -> Bool {
    live >= guardedFrom && deletions * 2 > live
  }
}
