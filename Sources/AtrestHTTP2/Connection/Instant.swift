// SPDX-License-Identifier: Apache-2.0
// Decides what time is in this module: a number the owner passes in, never a clock that is read.

/// A point on a monotonic clock. Only the difference between two instants of one clock means
/// something.
///
/// All arithmetic saturates: a hostile `grpc-timeout` can ask for 11 thousand years and gets
/// "never".
public struct Instant: Comparable, Hashable, Sendable {
  /// Nanoseconds since the clock's own arbitrary zero.
  public var nanoseconds: UInt64

  /// An instant so many nanoseconds after the clock's zero.
  public init(nanoseconds: UInt64) {
    self.nanoseconds = nanoseconds
  }

  /// The instant `duration` later, or earlier when it is negative; saturates at both ends.
  public func advanced(by duration: Duration) -> Instant {
    if duration < .zero {
      return Instant(
        nanoseconds: nanoseconds.saturatingSubtract((.zero - duration).clampedNanoseconds))
    }
    return advanced(byNanoseconds: duration.clampedNanoseconds)
  }

  /// The time from `earlier` to here; zero when `earlier` is in fact later.
  public func duration(since earlier: Instant) -> Duration {
    .nanoseconds(Int64(clamping: nanoseconds.saturatingSubtract(earlier.nanoseconds)))
  }

  func advanced(byNanoseconds count: UInt64) -> Instant {
    let (sum, overflow) = nanoseconds.addingReportingOverflow(count)
    return Instant(nanoseconds: overflow ? .max : sum)
  }

  /// The order of the clock.
  public static func < (a: Instant, b: Instant) -> Bool { a.nanoseconds < b.nanoseconds }
}

extension Duration {
  /// Whole nanoseconds, at least zero and at most what 64 bits hold.
  var clampedNanoseconds: UInt64 {
    let (seconds, attoseconds) = components
    guard seconds >= 0, attoseconds >= 0 else { return 0 }
    let (whole, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, carried) = whole.addingReportingOverflow(UInt64(attoseconds) / 1_000_000_000)
    return overflow || carried ? .max : sum
  }
}

extension UInt64 {
  func saturatingSubtract(_ other: UInt64) -> UInt64 {
    self > other ? self - other : 0
  }
}

/// The earlier of two moments, where nil means never.
func earliest(_ a: Instant?, _ b: Instant?) -> Instant? {
  guard let a else { return b }
  guard let b else { return a }
  return min(a, b)
}
