// SPDX-License-Identifier: Apache-2.0
// The server's methods: their names, their credential, and the mapping of status codes to errors
// for people.

import AtrestDomain
import AtrestReplication
import AtrestSync
import AtrestWire
import Synchronization

/// Calls a server's services for one device.
///
/// Every call throws `SyncError`: `.unreachable` for transient failures, anything else for
/// permanent ones.
final class ServerClient: SyncTransport, JoiningTransport, ApprovalTransport,
  AccountTransport
{
  private let server: ServerAddress
  private let connection: ReplicaConnection
  private let credential: Mutex<String?>

  /// The timeout of a call, connecting included.
  static let callTimeout = Duration.seconds(30)

  /// Creates a client. Does not connect yet.
  ///
  /// - Parameter token: The device's token; nil before pairing.
  /// - Throws: `.badAnswer` if the token cannot be sent.
  init(
    server: ServerAddress, token: String?, connection: ReplicaConnection
  ) throws(SyncError) {
    self.server = server
    self.connection = connection
    credential = Mutex(try token.map(Self.checked))
  }

  /// Sets the device token for later calls; see `SyncTransport`.
  func use(_ credential: String) throws(SyncError) {
    let checked = try Self.checked(credential)
    self.credential.withLock { $0 = checked }
  }

  /// The token, if it is printable ASCII without spaces, as metadata must be.
  private static func checked(_ token: String) throws(SyncError) -> String {
    guard token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw .badAnswer("the token is not text that can be sent")
    }
    return token
  }

  /// See `SyncTransport`.
  func exchange(
    _ request: ExchangeRequest
  ) async throws(SyncError) -> ExchangeResponse {
    try await call(Method.Sync.exchange, request)
  }

  /// See `SyncTransport`.
  func reconcile(
    _ request: ReconcileRequest
  ) async throws(SyncError) -> ReconcileResponse {
    try await call(Method.Sync.reconcile, request)
  }

  /// See `SyncTransport`.
  func renew(_ request: RenewRequest) async throws(SyncError) -> PairResponse {
    try await call(Method.Devices.renew, request)
  }

  /// See `SyncTransport`.
  func watch(
    _ request: WatchRequest, event: @Sendable (WatchResponse) async throws(SyncError) -> Bool
  ) async throws(SyncError) {
    let ended = Mutex<SyncError?>(nil)
    let transport = try connection.transport(to: server)
    do {
      try await transport.serverStream(
        Method.Sync.watch, request.encoded, credential: credential.withLock { $0 }
      ) { message in
        do {
          return try await event(decode(message))
        } catch {
          ended.withLock { $0 = SyncError(error) }
          return false
        }
      }
    } catch {
      throw SyncError(error)
    }
    if let error = ended.withLock({ $0 }) { throw error }
  }

  /// Connects unless connected. A server without a health service counts as reachable.
  func connect() async throws(SyncError) {
    do {
      let _: EmptyMessage = try await call(Method.Health.check, EmptyMessage())
    } catch {
      switch error.code {
      case .unreachable, .untrusted, .cancelled: throw error
      default: return
      }
    }
  }

  /// Joins an account.
  ///
  /// - Parameter patience: The timeout. With a code that needs approval the call waits for a
  ///   person's decision.
  /// - Throws: `.joiningElsewhere` if the same request was repeated from elsewhere and that call
  ///   gets the answer.
  func pair(
    _ request: PairRequest, within patience: Duration
  ) async throws(SyncError) -> PairResponse {
    try await call(Method.Devices.pair, request, within: patience) { status, reason in
      // Only a request with the same nonce displaces a waiting one. Without a reason, the
      // transport does not pass details on.
      reason == .pairingSuperseded || (reason == nil && status == StatusNumber.aborted)
        ? .joiningElsewhere : nil
    }
  }

  /// Requests a pairing code.
  func invite(_ request: InviteRequest) async throws(SyncError) -> InviteResponse {
    try await call(Method.Devices.invite, request)
  }

  /// Lists the devices that wait for approval.
  func pendingDevices() async throws(SyncError) -> ListPendingDevicesResponse {
    try await call(Method.Devices.listPendingDevices, EmptyMessage())
  }

  /// Admits or rejects a pending device.
  func decide(_ request: ResolvePendingDeviceRequest) async throws(SyncError)
    -> ResolvePendingDeviceResponse
  {
    try await call(Method.Devices.resolvePendingDevice, request)
  }

  /// Lists the account's devices.
  func devices() async throws(SyncError) -> DevicesListResponse {
    try await call(Method.Devices.list, EmptyMessage())
  }

  /// Renames a device.
  func rename(
    _ request: DevicesRenameRequest
  ) async throws(SyncError) -> DevicesRenameResponse {
    try await call(Method.Devices.rename, request)
  }

  /// Revokes a device and, on request, its descendants.
  func revoke(
    _ request: DevicesRevokeRequest
  ) async throws(SyncError) -> DevicesRevokeResponse {
    try await call(Method.Devices.revoke, request)
  }

  /// Fetches the account's usage and limits.
  func account() async throws(SyncError) -> AccountsGetResponse {
    try await call(Method.Accounts.get, EmptyMessage())
  }

  /// Fetches the server's version, limits and capabilities.
  func serverInfo() async throws(SyncError) -> ServerInfoResponse {
    try await call(Method.Server.serverInfo, EmptyMessage())
  }

  /// Removes the account. The timeout is five minutes, because a large account takes the server a
  /// while.
  func deleteAccount(_ request: AccountsDeleteRequest) async throws(SyncError) {
    let _: EmptyMessage = try await call(Method.Accounts.delete, request, within: .seconds(300))
  }

  /// Fetches a page of account events.
  func events(_ request: EventsRequest) async throws(SyncError) -> EventsResponse {
    try await call(Method.Accounts.events, request)
  }

  /// Submits a purchase for verification.
  func submit(
    _ request: EntitlementsSubmitRequest
  ) async throws(SyncError) -> EntitlementsSubmitResponse {
    try await call(Method.Entitlements.submit, request)
  }

  /// Fetches what an app needs before it offers a purchase.
  func entitlements() async throws(SyncError) -> EntitlementsGetResponse {
    try await call(Method.Entitlements.get, EmptyMessage())
  }

  /// - Parameter special: Maps a status that means something specific to this call; nil for the
  ///   general meaning.
  private func call<Request: WireMessage, Answer: WireMessage>(
    _ method: String, _ request: Request, within timeout: Duration = ServerClient.callTimeout,
    special: (_ status: Int, _ reason: ErrorReason?) -> SyncError? = { _, _ in nil }
  ) async throws(SyncError) -> Answer {
    let bytes: [UInt8]
    let transport = try connection.transport(to: server)
    let began = ContinuousClock.now
    do {
      bytes = try await transport.unary(
        method, request.encoded, credential: credential.withLock { $0 }, timeout: timeout)
    } catch {
      if case .status(let number, _, let details) = error,
        let known = special(number, details?.reason)
      {
        throw known
      }
      throw failure(error, of: transport, after: .now - began)
    }
    connection.answered(transport)
    return try decode(bytes)
  }

  private func failure(
    _ failure: CallFailure, of transport: any ClientTransport, after time: Duration
  ) -> SyncError {
    var error = SyncError(failure)
    switch failure {
    case .status(StatusNumber.deadlineExceeded, _, _):
      error.isSilence = connection.unanswered(transport, for: time, isDiscarded: true)
    case .status(StatusNumber.unavailable, _, let details) where details?.reason == nil:
      error.isSilence = connection.unanswered(transport, for: time, isDiscarded: false)
    case .status: connection.answered(transport)
    case .untrusted, .cancelled: break
    }
    return error
  }

  private func decode<Message: WireMessage>(_ bytes: [UInt8]) throws(SyncError) -> Message {
    do { return try Message(decoding: bytes) } catch {
      throw .badAnswer(error.rule ?? "it is not a message of this protocol")
    }
  }
}

extension SyncError {
  /// Maps a failed call to an error.
  package init(_ failure: CallFailure) {
    switch failure {
    case .cancelled: self = .cancelled
    case .untrusted(let sentence): self = .untrusted(sentence)
    case .status(StatusNumber.cancelled, _, _) where Task.isCancelled: self = .cancelled
    case .status(let number, let message, let details):
      self.init(status: number, message: message, details: details)
    }
  }
}
