// SPDX-License-Identifier: Apache-2.0
// The three results of sending a message.

/// The result of `send`.
public enum SendResult: Sendable {
  /// Queued. It is sent in order, unless the call ends first.
  case queued
  /// Rejected: ``Limits/streamQueueBytes`` are already queued on the stream. A `writable` event
  /// follows when half of them are sent.
  case queueFull
  /// Rejected: the call has ended, or this side has half-closed it.
  case gone
}
