// SPDX-License-Identifier: Apache-2.0
// Whether a message is compressed, where its encoding allows it.

/// A sender's wish about one message. Without an encoding that the peer accepts, it stays as it is.
public enum MessageCompression: Sendable {
  /// Compress if it is long enough, and shorter afterwards.
  case worthwhile
  /// Compress however short it is, if it is shorter afterwards.
  case always
  /// Send it as it is: it holds secrets beside what a peer chose, or was compressed before.
  case never
}
