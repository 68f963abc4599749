// SPDX-License-Identifier: Apache-2.0
// Decides the three answers to "send this".

/// What became of a message handed to `send`.
public enum SendResult: Sendable {
  /// It will go out in order, unless the call ends first.
  case queued
  /// Not taken: as much as ``Limits/streamQueueBytes`` waits for the peer to read. A `writable`
  /// event follows when half of it is gone.
  case queueFull
  /// Not taken: the call is over, or this side has already ended it.
  case gone
}
