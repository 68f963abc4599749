// SPDX-License-Identifier: Apache-2.0
// Maps methods to services and authorizes callers.

import AtrestHTTP2
import AtrestRPC
import AtrestReplication
import AtrestSockets
import AtrestWire

/// The two routers: one for devices, one for the operator's socket. The Admin service is only on
/// the latter, so an error in checking a peer's address cannot expose it to devices.
enum Routes {
  static let publicServices = [
    "atrest.sync.v1.Sync", "atrest.sync.v1.Devices", "atrest.sync.v1.Accounts",
    "atrest.sync.v1.Entitlements", "atrest.sync.v1.Server", "grpc.health.v1.Health",
  ]

  /// All services of the listener for devices, as reflection lists them.
  private static let reflection = ReflectionService(
    services: publicServices + ReflectionService.names)

  /// Maximum request size of methods that need no token. A code and a name need a tenth of it.
  static let openMessageBytes = 4 * 1024

  static func forDevices(
    _ cells: Cells, health: HealthService, environment: Environment, heartbeat: Duration,
    proxies: TrustedProxies = TrustedProxies(), questionsPerAddress: Int = 300
  ) -> RPCRouter {
    @Sendable func paired(_ head: CallHead) -> Authorization<CellCaller> {
      let decision = cells.authorize(head)
      // Of devices alone: anybody can send the header.
      if case .granted = decision { proxies.notice(head) }
      return decision
    }
    /// Pair is the only method that a device calls without a token.
    @Sendable func pairedOrPairing(_ head: CallHead) -> Authorization<Caller> {
      guard head.path != Method.Devices.pair else {
        return .admitted(.pendingDevice(AttemptLimiter.keys(of: proxies.caller(of: head))))
      }
      return paired(head).map { .device($0) }
    }
    var router = RPCRouter()
    router.addService("atrest.sync.v1.Sync", authorize: paired) { methods in
      methods.unary("Exchange") { call, bytes in
        try call.principal.cell.sync.exchange(call.principal.session, bytes) { answer(call) }
      }
      methods.unary("Reconcile") { call, bytes in
        try call.principal.cell.sync.reconcile(call.principal.session, bytes) { answer(call) }
      }
      methods.serverStreaming("Watch") { call, bytes, writer in
        let (sync, session) = (call.principal.cell.sync, call.principal.session)
        guard let watch = try sync.watch(session, bytes, sink: writer) else { return }
        beat(watch, every: heartbeat, on: call.shard, environment)
      }
    }
    router.addService("atrest.sync.v1.Devices", authorize: pairedOrPairing) { methods in
      methods.unary("Pair", maxMessageBytes: openMessageBytes) { call, bytes in
        try cells.cell(pairing: bytes).devices.pair(
          bytes, from: call.principal.keys, onEnd: { call.onCancel($0) }
        ) { answer(call) }
      }
      methods.unary("ListPendingDevices") { call, bytes in
        let caller = try known(call.principal)
        return try caller.cell.devices.pendingDevices(caller.session, bytes) { answer(call) }
      }
      methods.unary("ResolvePendingDevice") { call, bytes in
        let caller = try known(call.principal)
        return try caller.cell.devices.decide(caller.session, bytes) { answer(call) }
      }
      methods.unary("Rename") { call, bytes in
        let caller = try known(call.principal)
        return try caller.cell.devices.rename(caller.session, bytes) { answer(call) }
      }
      methods.unary("Invite") { call, bytes in
        let caller = try known(call.principal)
        return try caller.cell.devices.invite(caller.session, bytes) { answer(call) }
      }
      methods.unary("Renew") { call, bytes in
        let caller = try known(call.principal)
        return try caller.cell.devices.renew(caller.session, bytes) { answer(call) }
      }
      methods.unary("List") { call, bytes in
        let caller = try known(call.principal)
        return try caller.cell.devices.list(caller.session, bytes) { answer(call) }
      }
      methods.unary("Revoke") { call, bytes in
        let caller = try known(call.principal)
        return try caller.cell.devices.revoke(caller.session, bytes) { answer(call) }
      }
    }
    router.addService("atrest.sync.v1.Accounts", authorize: paired) { methods in
      methods.unary("Get") { call, bytes in
        try call.principal.cell.accounts.get(call.principal.session, bytes) { answer(call) }
      }
      methods.unary("Delete") { call, bytes in
        try call.principal.cell.accounts.delete(call.principal.session, bytes) { answer(call) }
      }
      methods.unary("Events") { call, bytes in
        try call.principal.cell.accounts.events(call.principal.session, bytes) { answer(call) }
      }
    }
    router.addService("atrest.sync.v1.Entitlements", authorize: paired) { methods in
      methods.unary("Submit") { call, bytes in
        try call.principal.cell.entitlements.submit(call.principal.session, bytes) { answer(call) }
      }
      methods.unary("Get") { call, bytes in
        try call.principal.cell.entitlements.get(call.principal.session, bytes) { answer(call) }
      }
    }
    router.addService("atrest.sync.v1.Server", authorize: paired) { methods in
      methods.unary("ServerInfo", maxMessageBytes: openMessageBytes) { call, bytes in
        try call.principal.cell.serverInfo(bytes, now: environment.now())
      }
    }
    router.addService("grpc.health.v1.Health") { methods in
      methods.unary("Check", maxMessageBytes: openMessageBytes) { _, bytes in
        .reply(try health.check(bytes))
      }
      methods.unary("List", maxMessageBytes: openMessageBytes) { _, bytes in
        .reply(try health.list(bytes))
      }
      methods.serverStreaming("Watch", maxMessageBytes: openMessageBytes) { _, bytes, writer in
        try health.watch(bytes, sink: writer)
      }
    }
    if questionsPerAddress > 0 {
      let limiter = QuestionLimiter(perMinute: questionsPerAddress, now: environment.now)
      addReflection(to: &router, within: limiter) {
        .admitted(AttemptLimiter.keys(of: proxies.caller(of: $0)))
      }
    }
    return router
  }

  /// An answer has up to two hundred times the size of its question, so each question takes a token
  /// of its caller's bucket first.
  private static func addReflection(
    to router: inout RPCRouter, within limiter: QuestionLimiter,
    caller: @escaping @Sendable (CallHead) -> Authorization<[[UInt8]]>
  ) {
    for name in ReflectionService.names {
      router.addService(name, authorize: caller) { methods in
        methods.bidirectional("ServerReflectionInfo", maxMessageBytes: openMessageBytes) {
          call, writer in
          { event in
            switch event {
            case .message(let bytes):
              guard limiter.take(from: call.principal) else { throw Status.tooManyQuestions }
              _ = writer.send(try reflection.answer(bytes))
            case .end: writer.finish()
            }
          }
        }
      }
    }
  }

  static func forOwner(_ cells: Cells, status: ServerStatusService) -> RPCRouter {
    var router = RPCRouter()
    router.addService("atrest.admin.v1.Admin", authorize: cells.authorizeOwner) { methods in
      methods.unary("ListCells") { _, bytes in .reply(try cells.list(bytes)) }
      methods.unary("GetServerStatus") { _, bytes in .reply(try status.status(bytes)) }
      methods.unary("AddAccount") { call, bytes in
        try call.principal.admin.addAccount(bytes) { answer(call) }
      }
      methods.unary("InviteDevice") { call, bytes in
        try call.principal.admin.inviteDevice(bytes) { answer(call) }
      }
      methods.unary("RemoveAccount") { call, bytes in
        try call.principal.admin.removeAccount(bytes) { answer(call) }
      }
      methods.unary("MoveAccount") { call, bytes in
        try cells.moveAccount(from: call.principal, bytes) { answer(call) }
      }
      methods.unary("ListAccounts") { call, bytes in
        try call.principal.admin.listAccounts(bytes) { answer(call) }
      }
      methods.unary("ListDevices") { call, bytes in
        try call.principal.admin.listDevices(bytes) { answer(call) }
      }
      methods.unary("Events") { call, bytes in
        try call.principal.admin.events(bytes) { answer(call) }
      }
      methods.unary("CheckEvents") { call, bytes in
        try call.principal.admin.checkEvents(bytes) { answer(call) }
      }
      methods.unary("Backup") { call, bytes in
        try call.principal.admin.backup(bytes) { answer(call) }
      }
      methods.unary("RevokeDevice") { call, bytes in
        try call.principal.admin.revokeDevice(bytes) { answer(call) }
      }
    }
    return router
  }

  private static func answer<Principal>(_ call: ServerCall<Principal>) -> Answer {
    let responder = call.responder()
    let isAwaited: @Sendable () -> Bool = { responder.isAwaited }
    return Answer(isAwaited: isAwaited) { outcome, batch in batch.add(responder, outcome) }
  }

  private static func known(_ caller: Caller) throws(Status) -> CellCaller {
    guard case .device(let device) = caller else { throw .unknownDevice }
    return device
  }

  /// The caller of the Devices service.
  private enum Caller: Sendable {
    case device(CellCaller)
    /// A device without a token, with its rate-limit keys for wrong codes.
    case pendingDevice([[UInt8]])

    var keys: [[UInt8]] {
      if case .pendingDevice(let keys) = self { keys } else { [] }
    }
  }

  /// Sends heartbeats until the stream ends. Detects the end at the next heartbeat.
  private static func beat(
    _ watch: Watch, every interval: Duration, on shard: Shard, _ environment: Environment
  ) {
    shard.schedule(at: shard.now.advanced(by: interval)) { [weak watch, weak shard] in
      guard let watch, let shard, watch.isOpen else { return }
      watch.sendHeartbeat(at: environment.now())
      beat(watch, every: interval, on: shard, environment)
    }
  }
}
