// SPDX-License-Identifier: Apache-2.0
// Decides which stamps are too far ahead of a server's clock. Pure.

/// The rule about clocks. The server judges by it, once, when it takes an offer in; a device that
/// was refused stamps again what breaks it.
package enum ClockSkew {
  /// How far a stamp that follows none the server took may be ahead of its clock, in milliseconds.
  package static let limitMilliseconds: Int64 = 60_000
  /// By how many steps of the hybrid clock a stamp may lie beyond the greatest that the account
  /// holds, wherever the server's clock is: a sixty-fourth of a millisecond. Whoever has seen that
  /// stamp goes on by single steps.
  package static let stepLimit: UInt64 = 1024
  /// How far ahead what was acknowledged once may be: a hundred years, in milliseconds. It keeps
  /// the hybrid clock from running out.
  package static let acknowledgedLimitMilliseconds: Int64 = 100 * 365 * 86_400_000

  /// Whether a time is further ahead of a server's clock than a right device's could be.
  package static func isTooFarAhead(_ time: HybridTime, of server: WallTime) -> Bool {
    time.wallTime > server.advanced(by: limitMilliseconds)
  }

  /// The fields of an offer whose stamps are too far ahead of the server's clock, and follow none
  /// that was taken.
  ///
  /// What was acknowledged once was judged then, and its stamp can never be another one. A server
  /// that was put back may have lost it, and with it the greatest stamp that it took. So
  /// what the writes of a restored offer replaced counts as taken. Any other offer may name a stamp
  /// that never was.
  /// - Parameter latest: The greatest time that the account holds. Asked only where it matters.
  package static func fieldsTooFarAhead<Failure: Error>(
    of server: WallTime, in offer: Offer, latest: () throws(Failure) -> HybridTime
  ) throws(Failure) -> Set<FieldNumber> {
    let ahead = offer.record.registers.filter { isTooFarAhead($0.stamp.time, of: server) }
    guard !ahead.isEmpty else { return [] }
    let far = HybridTime(server.advanced(by: acknowledgedLimitMilliseconds))
    let replaced = offer.record.registers.compactMap { register in
      offer.isRestored && offer.written.contains(register.field) ? register.replaced?.time : nil
    }
    let taken = replaced.filter { $0 <= far }.reduce(try latest(), max)
    let bound = HybridTime(rawValue: taken.rawValue + stepLimit)
    return Set(
      ahead.filter { $0.stamp.time > (offer.wasAcknowledged($0.field) ? far : bound) }
        .map { $0.field })
  }
}
