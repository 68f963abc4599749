// SPDX-License-Identifier: Apache-2.0
// Time in this module: a number passed in by the owner. No clock is read here.

/// A point on a monotonic clock. Only differences between instants of the same clock are
/// meaningful.
///
/// All arithmetic saturates: a hostile `grpc-timeout` can ask for 11 thousand years and gets
/// "never".
public struct Instant: Comparable, Hashable, Sendable {
  /// Nanoseconds since the clock's arbitrary zero.
  public var nanoseconds: UInt64

  /// Creates an instant `nanoseconds` after the clock's zero.
  public init(nanoseconds: UInt64) {
    self.nanoseconds = nanoseconds
  }

  /// The instant `duration` later, or earlier if negative. Saturates at both ends.
  public func advanced(by duration: Duration) -> Instant {
    if duration < .zero {
      return Instant(
        nanoseconds: nanoseconds.saturatingSubtract((.zero - duration).clampedNanoseconds))
    }
    return advanced(byNanoseconds: duration.clampedNanoseconds)
  }

  /// The time since `earlier`; zero if `earlier` is later.
  public func duration(since earlier: Instant) -> Duration {
    .nanoseconds(Int64(clamping: nanoseconds.saturatingSubtract(earlier.nanoseconds)))
  }

  func advanced(byNanoseconds count: UInt64) -> Instant {
    let (sum, overflow) = nanoseconds.addingReportingOverflow(count)
    return Instant(nanoseconds: overflow ? .max : sum)
  }

  /// Orders instants by time.
  public static func < (a: Instant, b: Instant) -> Bool { a.nanoseconds < b.nanoseconds }
}

extension Duration {
  /// Whole nanoseconds, clamped to 0...UInt64.max.
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

/// The earlier of two instants; nil means never.
func earliest(_ a: Instant?, _ b: Instant?) -> Instant? {
  guard let a else { return b }
  guard let b else { return a }
  return min(a, b)
}
