// SPDX-License-Identifier: Apache-2.0
// Calls that are not part of a sync: pairing, devices and the account.

import AtrestDomain
import AtrestReplication
import AtrestSync
import AtrestWire

extension WebCore {
  /// The message of a call. A pairing's nonce is kept before it is sent, so that a repeated call
  /// yields the same device.
  ///
  /// - Parameter file: What the call is about, if the person chose a file.
  func call(
    _ name: String, _ argument: Arguments, _ file: [UInt8], _ now: WallTime
  ) throws(CoreFailure) -> Answer {
    var token = try read(now) { work in work.tables.state.token }
    var result: JSON?
    let (method, message): (String, [UInt8])
    switch name {
    case "pair":
      let request = try pairRequest(argument, now)
      (method, message) = (Method.Devices.pair, request.encoded)
      result = .members(("digits", .text(request.digits)))
      token = nil
    case "invite":
      let request = InviteRequest(withoutApproval: try argument.flag("withoutApproval"))
      (method, message) = (Method.Devices.invite, request.encoded)
    case "pendingDevices":
      (method, message) = (Method.Devices.listPendingDevices, EmptyMessage().encoded)
    case "resolve":
      let handle = try argument.required(argument.text("handle"))
      guard let handle = UInt64(handle, radix: 16) else { throw .misuse("the handle is unknown") }
      let request = ResolvePendingDeviceRequest(handle: handle, allow: try argument.flag("allow"))
      (method, message) = (Method.Devices.resolvePendingDevice, request.encoded)
    case "devices": (method, message) = (Method.Devices.list, EmptyMessage().encoded)
    case "events":
      let request = EventsRequest(pageSize: EventPage.limit)
      (method, message) = (Method.Accounts.events, request.encoded)
    case "rename":
      let request = DevicesRenameRequest(
        replica: try replicaID(argument), name: try deviceName(argument))
      (method, message) = (Method.Devices.rename, request.encoded)
    case "revoke":
      let request = DevicesRevokeRequest(
        replica: try replicaID(argument), withDescendants: try argument.flag("withDescendants"))
      (method, message) = (Method.Devices.revoke, request.encoded)
    case "submit":
      let request = EntitlementsSubmitRequest(
        signedTransaction: try transaction(file), transfer: try argument.flag("transfer"))
      (method, message) = (Method.Entitlements.submit, request.encoded)
    case "account": (method, message) = (Method.Accounts.get, EmptyMessage().encoded)
    default: throw .misuse("the call \(name) is unknown")
    }
    if name != "pair", token == nil { throw CoreFailure(SyncError.notPaired) }
    let members = [
      JSON.Member("method", .text(method)), JSON.Member("token", token.map { .text($0) }),
      JSON.Member("result", result ?? .object([])),
    ]
    return Answer(members: members, messages: [message])
  }

  func answer(
    _ name: String, _ argument: Arguments, _ message: [UInt8], _ file: [UInt8], _ now: WallTime
  ) throws(CoreFailure) -> JSON {
    if name == "pair" {
      let pairing = try decoded { () throws(WireError) in try PairResponse(decoding: message) }
      return try adopt(pairing, argument, now)
    }
    if name == "submit" {
      let answer = try decoded { () throws(WireError) in
        try EntitlementsSubmitResponse(decoding: message)
      }
      if let rejection = answer.rejection {
        throw CoreFailure(code: "rejected", shown(rejection.message))
      }
      return try keepPurchase(file, now)
    }
    let result = try decoded { () throws(WireError) -> JSON? in
      switch name {
      case "invite":
        let answer = try InviteResponse(decoding: message)
        return .members(
          ("code", .text(answer.code)), ("expires", .text(moment(answer.expires))),
          ("needsApproval", .bool(answer.needsApproval)))
      case "pendingDevices":
        let devices = try ListPendingDevicesResponse(decoding: message).pendingDevices
        return .members(("devices", .array(devices.map(Self.pending))))
      case "resolve":
        let admitted = try ResolvePendingDeviceResponse(decoding: message).admitted
        return .members(("name", admitted.map { .text(shown($0.name)) }))
      case "devices":
        let devices = try DevicesListResponse(decoding: message).devices
        family = DeviceFamily(devices, events: events)
        return .members(("devices", .array(devices.map(device))))
      case "events":
        events = try EventsResponse(decoding: message).events
        return .object([])
      case "rename":
        return .members(("name", .text(shown(try DevicesRenameResponse(decoding: message).name))))
      case "revoke":
        return revoked(try DevicesRevokeResponse(decoding: message), argument)
      case "account":
        let account = try AccountsGetResponse(decoding: message)
        return .members(
          ("name", .text(shown(account.name))), ("devices", .integer(Int64(account.devices))),
          ("records", .integer(Int64(clamping: account.records))),
          ("bytes", .integer(Int64(clamping: account.bytes))))
      default: return nil
      }
    }
    guard let result else { throw .misuse("the call \(name) is unknown") }
    return result
  }

  /// What a failed call means.
  func failure(_ argument: Arguments, details: [UInt8]?) throws(CoreFailure) -> SyncError {
    let status = try argument.number("status", 0...1_000_000) ?? 2
    return SyncError(
      status: Int(status), message: try argument.text("message") ?? "",
      details: details.flatMap { try? ErrorDetails(decoding: $0) })
  }

  // MARK: Parts

  private func decoded<Value>(
    _ body: () throws(WireError) -> Value
  ) throws(CoreFailure) -> Value {
    do { return try body() } catch {
      throw CoreFailure(
        SyncError.badAnswer(error.rule ?? "it is not a message of this protocol"))
    }
  }

  private func pairRequest(
    _ argument: Arguments, _ now: WallTime
  ) throws(CoreFailure) -> PairRequest {
    let code = try argument.required(argument.text("code")).uppercased()
    let isCode = code.utf8.allSatisfy { (0x41...0x5A).contains($0) || $0 == 0x2D }
    guard (13...16).contains(code.utf8.count), isCode else {
      throw CoreFailure(
        code: "input",
        Language.text(
          "The pairing link's code is not complete. It looks like XXXX-XXXXXXXX; copy all of the "
            + "link.",
          de: "Der Code des Links ist nicht vollständig. Er sieht aus wie XXXX-XXXXXXXX; kopiere "
            + "den ganzen Link."))
    }
    let name = try deviceName(argument)
    let nonce = try write(now) { work throws(CoreFailure) in
      let records = work
      return try told { () throws(ReplicaError) in try records.nonce(joiningWith: code) }
    }
    return PairRequest(code: code, deviceName: name, nonce: nonce)
  }

  private func adopt(
    _ pairing: PairResponse, _ argument: Arguments, _ now: WallTime
  ) throws(CoreFailure) -> JSON {
    let server = try argument.required(argument.text("server"))
    try write(now) { work throws(CoreFailure) in
      do throws(ReplicaError) { try work.adopt(pairing, server: server) } catch {
        throw CoreFailure(SyncError(storing: error))
      }
    }
    return .members(
      ("account", .text(shown(pairing.accountName))),
      ("deviceName", .text(shown(pairing.deviceName))))
  }

  private func replicaID(_ argument: Arguments) throws(CoreFailure) -> ReplicaID {
    guard let id = UInt64(try argument.required(argument.text("replica")), radix: 16) else {
      throw .misuse("the device is unknown")
    }
    return ReplicaID(rawValue: id)
  }

  private func deviceName(_ argument: Arguments) throws(CoreFailure) -> String {
    let name = try argument.required(argument.text("name"))
    guard (1...NameLimit.bytes).contains(name.utf8.count), name.isReadableName else {
      throw CoreFailure(
        code: "input",
        Language.text(
          "A device's name has 1 to \(NameLimit.bytes) bytes of visible text. Choose another.",
          de: "Der Name eines Geräts hat 1 bis \(NameLimit.bytes) Bytes sichtbaren Text. "
            + "Wähle einen anderen.")
      )
    }
    return name
  }

  private static func pending(_ device: PendingDevice) -> JSON {
    .members(
      ("handle", .text(Hexadecimal.encoded(device.handle))), ("name", .text(shown(device.name))),
      ("digits", .text(device.digits)), ("since", .time(device.since)),
      ("expires", .time(device.expires)),
      ("inviter", .text(Hexadecimal.encoded(device.inviter.rawValue))))
  }

  private func device(_ device: Device) -> JSON {
    .members(
      ("replica", .text(Hexadecimal.encoded(device.replica.rawValue))),
      ("name", .text(shown(device.name))), ("paired", .time(device.paired)),
      ("seen", device.seen.map { .text(moment($0)) }),
      ("revoked", device.revoked.map { .text(moment($0)) }),
      ("isCurrent", .bool(device.isCurrent)),
      ("origin", family.origin(of: device).map { .text($0) }),
      ("renamed", family.renaming(of: device.replica, moment).map { .text($0) }),
      ("companions", device.isCurrent ? nil : companions(of: device)))
  }

  /// The devices that a revocation may include, with the question about them; nil for none.
  private func companions(of device: Device) -> JSON? {
    let plan = RevocationPlan(revoking: device, in: family)
    guard !plan.companions.isEmpty else { return nil }
    let names = plan.companions.map { companion in
      JSON.members(
        ("name", .text(shown(companion.name))),
        ("origin", family.origin(of: companion).map { .text($0) }))
    }
    return .members(
      ("introduction", .text(plan.introduction)), ("question", .text(plan.question)),
      ("devices", .array(names)))
  }

  /// What a revocation did, in words.
  private func revoked(_ ended: Revocation, _ argument: Arguments) -> JSON {
    guard let replica = try? replicaID(argument),
      let isForAll = try? argument.flag("withDescendants")
    else { return .object([]) }
    let device =
      family.devices.first { $0.replica == replica }
      ?? Device(replica: replica, name: Hexadecimal.encoded(replica.rawValue), paired: .epoch)
    let lines = RevocationPlan(revoking: device, in: family).outcome(of: ended, isForAll: isForAll)
    return .members(("words", .text(lines.joined(separator: " "))))
  }
}
