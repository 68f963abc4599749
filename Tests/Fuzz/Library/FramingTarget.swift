// SPDX-License-Identifier: Apache-2.0
// Fuzzes gRPC framing and compression: the messages in a body must not depend on how it is split.

import AtrestHTTP2

extension FuzzTarget {
  /// A byte that selects the encoding, four bytes of choices, then the body.
  static let framing = FuzzTarget(name: "framing", limitBytes: 4096) { bytes in
    var input = Input(bytes)
    let flags = input.byte()
    var choices = input.choices()
    let body = input.remainder()
    let encoding = [nil, "gzip", "deflate", "identity"][Int(flags & 3)]
    var limits = Limits.default
    if flags & 4 != 0 {
      limits.maxMessageBytes = 400
      limits.maxInflateRatio = 4
      limits.inflateRatioFloorBytes = 100
    }
    let whole = try received([body[...]], encoding, limits)
    let cut = try received(choices.pieces(body), encoding, limits)
    try law(whole.end == cut.end, "how a body is cut does not change how it ends")
    // Once a call fails, queued messages are no longer reported. How many depends on the split.
    try law(
      whole.messages == cut.messages
        || whole.end != nil
          && (cut.messages.starts(with: whole.messages)
            || whole.messages.starts(with: cut.messages)),
      "how a body is cut does not change what it says")
    try law(whole.isEnded == cut.isEnded, "how a body is cut does not change whether it is whole")
    if flags & 8 != 0, body.count <= limits.maxMessageBytes {
      try checkJourney(body, [.identity, .gzip, .deflate][Int(flags >> 4) % 3], limits)
    }
  } seeds: {
    let choices: [UInt8] = [0, 0, 0, 1]
    let gzip = Frames.message(Samples.gzip, isCompressed: true)
    let deflate = Frames.message(Samples.deflate, isCompressed: true)
    let plain = Frames.message(Array("plain".utf8))
    return [
      ("plain", [0] + choices + plain + plain),
      ("empty", [0] + choices + Frames.message([])),
      ("gzip", [1] + choices + gzip + plain + gzip),
      ("deflate", [2] + choices + deflate),
      ("small", [5] + choices + gzip + gzip),
      ("cut-short", [1] + choices + gzip.dropLast(3)),
      ("journey", [24] + choices + [UInt8](repeating: 9, count: 900)),
      ("journey-deflate", [44] + choices + [UInt8](repeating: 9, count: 390)),
      ("too-long", [0] + choices + [0, 0xFF, 0xFF, 0xFF, 0xFF]),
    ]
  }
}

/// The result of receiving a body.
private struct Received {
  var messages: [[UInt8]] = []
  var isEnded = false
  var end: Cancellation?
}

private func received(
  _ pieces: [ArraySlice<UInt8>], _ encoding: String?, _ limits: Limits
) throws -> Received {
  let now = Instant(nanoseconds: 1_000_000_000_000)
  let server = ServerConnection(limits: limits, codecs: sharedCodecs(), now: now)
  var result = Received()
  func take(_ bytes: [UInt8]) throws {
    for event in bytes.withUnsafeBytes({ server.receive($0, at: now) }) {
      switch event {
      case .started, .writable: break
      case .message(_, let bytes):
        try law(bytes.count <= limits.maxMessageBytes, "a message is within its limit")
        try law(result.end == nil, "no message comes after the end")
        result.messages.append(bytes)
      case .endOfRequest: result.isEnded = true
      case .cancelled(_, let reason): result.end = reason
      }
    }
    var output: [UInt8] = []
    server.appendOutput(to: &output)
  }
  try take(Frames.preface + Frames.settings + Frames.settingsAck)
  try take(Frames.headers(1, Frames.request("/a.B/C", encoding: encoding)))
  for piece in pieces { try take(Frames.data(1, Array(piece))) }
  try take(Frames.data(1, [], end: true))
  return result
}

/// Checks that a message from a client arrives unchanged.
private func checkJourney(_ message: [UInt8], _ encoding: Compression, _ limits: Limits) throws {
  let now = Instant(nanoseconds: 1_000_000_000_000)
  let client = ClientConnection(
    limits: limits, codecs: sharedCodecs(), authority: "localhost", isSecure: false,
    compression: encoding, now: now)
  let server = ServerConnection(limits: limits, codecs: sharedCodecs(), now: now)
  guard let call = client.start(path: "/a.B/C", at: now) else {
    throw BrokenLaw(description: "a new connection starts a call")
  }
  _ = client.send(message, on: call, end: true)
  var arrived: [[UInt8]] = []
  for _ in 0..<8 {
    var up: [UInt8] = []
    client.appendOutput(to: &up)
    for event in up.withUnsafeBytes({ server.receive($0, at: now) }) {
      if case .message(_, let bytes) = event { arrived.append(bytes) }
    }
    var down: [UInt8] = []
    server.appendOutput(to: &down)
    for _ in down.withUnsafeBytes({ client.receive($0, at: now) }) {}
  }
  try law(arrived == [message], "a message arrives as it was sent")
}
