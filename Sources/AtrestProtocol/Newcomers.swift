// SPDX-License-Identifier: Apache-2.0
// The messages of the Devices service by which a device invites another one and lets it in.

import AtrestReplication
import CAtrestProtos

/// Asks for a pairing code.
public struct InviteRequest: WireMessage {
  /// Whether whoever has the code joins at once, and no device is asked.
  public var withoutApproval: Bool

  /// A request.
  public init(withoutApproval: Bool = false) {
    self.withoutApproval = withoutApproval
  }

  /// Decodes a request.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__sync__v1__invite_request__unpack) { message in
      InviteRequest(withoutApproval: message.without_approval != 0)
    }
  }

  /// The bytes on the wire.
  public var encoded: [UInt8] {
    packing(atrest__sync__v1__invite_request__init) { message, _ in
      message.without_approval = withoutApproval ? 1 : 0
    }
  }
}

/// A fresh pairing code.
public struct InviteResponse: WireMessage {
  /// Secret until used.
  public var code: String
  /// When it stops working.
  public var expires: WallTime
  /// Whether whoever uses it waits for a device's approval; false from servers that do not know of it.
  public var needsApproval: Bool

  /// An answer.
  public init(code: String, expires: WallTime, needsApproval: Bool = false) {
    self.code = code
    self.expires = expires
    self.needsApproval = needsApproval
  }

  /// Decodes an answer.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__sync__v1__invite_response__unpack) {
      message throws(WireError) in
      InviteResponse(
        code: try text(message.code, limitBytes: 64),
        expires: WallTime(milliseconds: message.expires_ms),
        needsApproval: message.needs_approval != 0)
    }
  }

  /// The bytes on the wire.
  public var encoded: [UInt8] {
    packing(atrest__sync__v1__invite_response__init) { message, arena in
      message.code = arena.text(code)
      message.expires_ms = expires.milliseconds
      message.needs_approval = needsApproval ? 1 : 0
    }
  }
}

/// A device that has the right code and waits to be let in.
public struct Newcomer: Hashable, Sendable {
  /// Names it for `DecideRequest`. Never zero.
  public var handle: UInt64
  /// What it wants to be called; it said so itself.
  public var name: String
  /// When it came.
  public var since: WallTime
  /// Until when it can be let in.
  public var expires: WallTime
  /// The device that made its code.
  public var inviter: ReplicaID
  /// See `PairRequest.digits`.
  public var digits: String

  /// A newcomer.
  public init(
    handle: UInt64, name: String, since: WallTime, expires: WallTime, inviter: ReplicaID,
    digits: String
  ) {
    self.handle = handle
    self.name = name
    self.since = since
    self.expires = expires
    self.inviter = inviter
    self.digits = digits
  }
}

/// Who waits to be let in.
public struct NewcomersResponse: WireMessage {
  /// In the order they came.
  public var newcomers: [Newcomer]

  /// An answer.
  public init(newcomers: [Newcomer]) {
    self.newcomers = newcomers
  }

  /// Decodes an answer.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__sync__v1__newcomers_response__unpack) {
      message throws(WireError) in
      var newcomers: [Newcomer] = []
      for newcomer in elements(message.newcomers, message.n_newcomers) {
        guard newcomer.handle != 0 else { throw .invalid("a newcomer has no handle") }
        newcomers.append(
          Newcomer(
            handle: newcomer.handle,
            name: try text(newcomer.name, limitBytes: NameLimit.bytes),
            since: WallTime(milliseconds: newcomer.since_ms),
            expires: WallTime(milliseconds: newcomer.expires_ms),
            inviter: ReplicaID(rawValue: newcomer.inviter),
            digits: try NewcomerDigits.checked(
              text(newcomer.digits, limitBytes: NewcomerDigits.count))))
      }
      return NewcomersResponse(newcomers: newcomers)
    }
  }

  /// The bytes on the wire.
  public var encoded: [UInt8] {
    packing(
      atrest__sync__v1__newcomers_response__init, expectedBytes: newcomers.count * 256 + 512
    ) { message, arena in
      message.n_newcomers = newcomers.count
      message.newcomers = arena.array(newcomers) { newcomer in
        let entry = arena.make(atrest__sync__v1__newcomer__init)
        entry.pointee.handle = newcomer.handle
        entry.pointee.name = arena.text(newcomer.name)
        entry.pointee.since_ms = newcomer.since.milliseconds
        entry.pointee.expires_ms = newcomer.expires.milliseconds
        entry.pointee.inviter = newcomer.inviter.rawValue
        entry.pointee.digits = arena.text(newcomer.digits)
        return entry
      }
    }
  }
}

/// Lets a newcomer in, or sends it away.
public struct DecideRequest: WireMessage {
  /// As in `Newcomer`.
  public var handle: UInt64
  /// Whether it is let in.
  public var allow: Bool

  /// A request.
  public init(handle: UInt64, allow: Bool) {
    self.handle = handle
    self.allow = allow
  }

  /// Decodes a request.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__sync__v1__decide_request__unpack) { message in
      DecideRequest(handle: message.handle, allow: message.allow != 0)
    }
  }

  /// The bytes on the wire.
  public var encoded: [UInt8] {
    packing(atrest__sync__v1__decide_request__init) { message, _ in
      message.handle = handle
      message.allow = allow ? 1 : 0
    }
  }
}

/// What became of a newcomer.
public struct DecideResponse: WireMessage {
  /// A device that was let in.
  public struct Admitted: Hashable, Sendable {
    /// Its identity.
    public var replica: ReplicaID
    /// What it is called, which need not be what it asked for.
    public var name: String

    /// A device.
    public init(replica: ReplicaID, name: String) {
      self.replica = replica
      self.name = name
    }
  }

  /// Nil if it was sent away.
  public var admitted: Admitted?

  /// An answer.
  public init(admitted: Admitted? = nil) {
    self.admitted = admitted
  }

  /// Decodes an answer.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    self = try unpacking(bytes, by: atrest__sync__v1__decide_response__unpack) {
      message throws(WireError) in
      guard message.replica != 0 else { return DecideResponse() }
      return DecideResponse(
        admitted: Admitted(
          replica: ReplicaID(rawValue: message.replica),
          name: try text(message.device_name, limitBytes: NameLimit.bytes)))
    }
  }

  /// The bytes on the wire.
  public var encoded: [UInt8] {
    packing(atrest__sync__v1__decide_response__init) { message, arena in
      guard let admitted else { return }
      message.replica = admitted.replica.rawValue
      message.device_name = arena.text(admitted.name)
    }
  }
}
