// SPDX-License-Identifier: Apache-2.0
// Converts the durations of `Limits` to nanoseconds, once per connection.

/// The durations of ``Limits``, in nanoseconds.
struct Times {
  let handshake, firstRequest, requestStall, requestTimeout, lateRequest, writeStall, idle: UInt64
  let fileTimeout: UInt64
  let keepalive, keepaliveTimeout, drainNotice, drainGrace: UInt64
  let pingInterval, idlePingInterval, resetWindow: UInt64

  init(_ limits: Limits) {
    handshake = limits.handshakeTimeout.clampedNanoseconds
    firstRequest = limits.firstRequestTimeout.clampedNanoseconds
    requestStall = limits.requestStall.clampedNanoseconds
    requestTimeout = limits.requestTimeout.clampedNanoseconds
    lateRequest = limits.lateRequest.clampedNanoseconds
    writeStall = limits.writeStall.clampedNanoseconds
    fileTimeout = limits.fileTimeout.clampedNanoseconds
    idle = limits.idleConnection.clampedNanoseconds
    keepalive = limits.keepaliveInterval.clampedNanoseconds
    keepaliveTimeout = limits.keepaliveTimeout.clampedNanoseconds
    drainNotice = limits.drainNotice.clampedNanoseconds
    drainGrace = limits.drainGrace.clampedNanoseconds
    pingInterval = limits.minimumPingInterval.clampedNanoseconds
    idlePingInterval = limits.minimumIdlePingInterval.clampedNanoseconds
    resetWindow = limits.resetWindow.clampedNanoseconds
  }
}
