// SPDX-License-Identifier: Apache-2.0
// What a sync under way waits for. Told anything else, it changes nothing.

import AtrestReplication
import AtrestSync
import AtrestWire

/// A sync, or following the stream, with what its owner was asked to do.
struct SyncMachine {
  enum Engine {
    case once(SyncCycle)
    case following(SyncFollower)
  }

  /// A call that was sent.
  struct Call {
    let id: Int64
    let request: SyncRequest
  }

  var engine: Engine
  var call: Call?
  var isBackingOff = false
  /// The id of the open stream.
  var stream: Int64?
  var wantsEvent = false
  var awaitsWrites = false
}

/// What the owner of the core is to do next.
struct SyncStep {
  var members: [JSON.Member] = []
  var watch: [JSON.Member] = []
  var messages: [[UInt8]] = []

  mutating func add(_ name: String, _ value: JSON) { members.append(JSON.Member(name, value)) }

  /// - Returns: A call whose message is this part of the step's messages.
  mutating func call(
    _ id: Int64, _ method: String, _ token: String?, _ message: [UInt8]
  ) -> JSON {
    messages.append(message)
    return .members(
      ("id", .integer(id)), ("method", .text(method)), ("token", token.map { .text($0) }),
      ("part", .count(messages.count - 1)))
  }
}

extension SyncReport {
  var json: JSON {
    .members(
      ("exchanges", .count(exchanges)), ("pushed", .count(pushed)), ("pulled", .count(pulled)),
      ("refused", .count(refused)), ("conflicts", .count(conflicts)),
      ("superseded", .count(superseded)), ("restarted", .bool(restarted)),
      ("renewed", .bool(isRenewed)),
      (
        "held",
        heldDeletions.map { .members(("count", .count($0.count)), ("of", .count($0.of))) }
      ))
  }
}
