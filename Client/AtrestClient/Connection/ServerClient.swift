// SPDX-License-Identifier: Apache-2.0
// The gRPC transport: methods, credentials, and the mapping of status codes to errors for people.

import AtrestHTTP2
import AtrestRPC
import AtrestReplication
import AtrestSockets
import AtrestSync
import AtrestTLS
import AtrestWire
import Synchronization

/// Calls a server's services over one connection, opened on first use and reopened after a failure.
/// Close it after use.
///
/// Every call throws `SyncError`: `.unreachable` for transient failures, anything else for
/// permanent ones.
public final class GRPCSyncTransport: SyncTransport, JoiningTransport, ApprovalTransport,
  AccountTransport
{
  private let channel: GRPCChannel
  private let credential: Mutex<Metadata>

  /// The timeout of a call, connecting included.
  static let callTimeout = Duration.seconds(30)

  /// Creates a transport. Does not connect yet.
  ///
  /// - Parameter token: The device's token; nil before pairing.
  /// - Throws: `.badAnswer` if the token cannot be sent; `.unreachable` if the address or the TLS
  ///   configuration is invalid.
  public init(server: ServerAddress, token: String?) throws(SyncError) {
    var configuration = GRPCChannel.Configuration()
    configuration.compression = .gzip
    credential = Mutex(try token.map(Self.metadata) ?? Metadata())
    do {
      if let trust = server.trust() { configuration.tls = try ClientTLS(trust) }
    } catch {
      throw .unreachable(error.userMessage)
    }
    do {
      channel = try GRPCChannel(
        to: Endpoint(parsing: server.endpoint), configuration: configuration)
    } catch {
      throw .unreachable(error.userMessage)
    }
  }

  private static func metadata(_ token: String) throws(SyncError) -> Metadata {
    var metadata = Metadata()
    guard metadata.add("authorization", "Bearer \(token)") else {
      throw .badAnswer("the token is not text that can be sent")
    }
    return metadata
  }

  private var metadata: Metadata { credential.withLock { $0 } }

  /// Sets the device token for later calls; see `SyncTransport`.
  public func use(_ credential: String) throws(SyncError) {
    let metadata = try Self.metadata(credential)
    self.credential.withLock { $0 = metadata }
  }

  /// Closes the connection. Calls on it fail from now on.
  public func close() async { await channel.close() }

  /// See `SyncTransport`.
  public func exchange(
    _ request: ExchangeRequest
  ) async throws(SyncError) -> ExchangeResponse {
    try await call(Method.Sync.exchange, request)
  }

  /// See `SyncTransport`.
  public func reconcile(
    _ request: ReconcileRequest
  ) async throws(SyncError) -> ReconcileResponse {
    try await call(Method.Sync.reconcile, request)
  }

  /// See `SyncTransport`.
  public func renew(_ request: RenewRequest) async throws(SyncError) -> PairResponse {
    try await call(Method.Devices.renew, request)
  }

  /// See `SyncTransport`.
  public func watch(
    _ request: WatchRequest, event: @Sendable (WatchEvent) async throws(SyncError) -> Bool
  ) async throws(SyncError) {
    let stream = channel.serverStream(Method.Sync.watch, request.encoded, metadata: metadata)
    defer { stream.cancel() }
    var messages = stream.makeAsyncIterator()
    while true {
      let message: [UInt8]?
      do { message = try await messages.next() } catch { throw failure(error) }
      guard let message else { return }
      guard try await event(decode(message)) else { return }
    }
  }

  /// Connects unless connected. A server without a health service counts as reachable.
  package func connect() async throws(SyncError) {
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
  public func pair(
    _ request: PairRequest, within patience: Duration
  ) async throws(SyncError) -> PairResponse {
    try await call(Method.Devices.pair, request, within: patience) { status in
      // Only a request with the same nonce displaces a waiting one.
      status.code == .aborted ? .joiningElsewhere : nil
    }
  }

  /// Requests a pairing code.
  public func invite(_ request: InviteRequest) async throws(SyncError) -> InviteResponse {
    try await call(Method.Devices.invite, request)
  }

  /// Lists the devices that wait for approval.
  public func pendingDevices() async throws(SyncError) -> ListPendingDevicesResponse {
    try await call(Method.Devices.listPendingDevices, EmptyMessage())
  }

  /// Admits or rejects a pending device.
  public func decide(_ request: ResolvePendingDeviceRequest) async throws(SyncError)
    -> ResolvePendingDeviceResponse
  {
    try await call(Method.Devices.resolvePendingDevice, request)
  }

  /// Lists the account's devices.
  public func devices() async throws(SyncError) -> ListDevicesResponse {
    try await call(Method.Devices.list, EmptyMessage())
  }

  /// Renames a device.
  public func rename(
    _ request: RenameDeviceRequest
  ) async throws(SyncError) -> RenameDeviceResponse {
    try await call(Method.Devices.rename, request)
  }

  /// Revokes a device and, on request, its descendants.
  public func revoke(
    _ request: RevokeDeviceRequest
  ) async throws(SyncError) -> RevokeDeviceResponse {
    try await call(Method.Devices.revoke, request)
  }

  /// Fetches the account's usage and limits.
  public func account() async throws(SyncError) -> GetAccountResponse {
    try await call(Method.Accounts.get, EmptyMessage())
  }

  /// Removes the account. The timeout is five minutes, because a large account takes the server a
  /// while.
  public func deleteAccount(_ request: DeleteAccountRequest) async throws(SyncError) {
    let _: EmptyMessage = try await call(Method.Accounts.delete, request, within: .seconds(300))
  }

  /// Fetches a page of account events.
  public func events(_ request: EventsRequest) async throws(SyncError) -> EventsResponse {
    try await call(Method.Accounts.events, request)
  }

  /// Submits a purchase for verification.
  public func submit(
    _ request: SubmitTransactionRequest
  ) async throws(SyncError) -> SubmitTransactionResponse {
    try await call(Method.Entitlements.submit, request)
  }

  /// Fetches what an app needs before it offers a purchase.
  public func entitlements() async throws(SyncError) -> GetEntitlementsResponse {
    try await call(Method.Entitlements.get, EmptyMessage())
  }

  /// - Parameter special: Maps a status that means something specific to this call; nil for the
  ///   general meaning.
  private func call<Request: WireMessage, Answer: WireMessage>(
    _ method: String, _ request: Request, within timeout: Duration = GRPCSyncTransport.callTimeout,
    special: (Status) -> SyncError? = { _ in nil }
  ) async throws(SyncError) -> Answer {
    let bytes: [UInt8]
    do {
      bytes = try await channel.unary(
        method, request.encoded, metadata: metadata, timeout: timeout)
    } catch {
      throw special(error) ?? failure(error)
    }
    return try decode(bytes)
  }

  /// Maps a failed call to an error. An untrusted server takes precedence over its consequences.
  private func failure(_ error: any Error) -> SyncError {
    if let failure = channel.tlsFailure, failure.isAboutTrust {
      return .untrusted(failure.userMessage)
    }
    return SyncError(status: error)
  }

  private func decode<Message: WireMessage>(_ bytes: [UInt8]) throws(SyncError) -> Message {
    do { return try Message(decoding: bytes) } catch {
      throw .badAnswer(error.rule ?? "it is not a message of this protocol")
    }
  }
}

extension SyncError {
  /// Maps a call's status to an error.
  package init(status error: any Error) {
    guard let status = error as? Status else {
      self = .cancelled
      return
    }
    let sentence = sentencePart(status.message)
    switch status.code {
    case .unavailable, .deadlineExceeded, .resourceExhausted, .aborted:
      self = .unreachable(sentence)
    case .cancelled: self = Task.isCancelled ? .cancelled : .unreachable(sentence)
    case .unauthenticated: self = .accessEnded
    case .permissionDenied: self = .notPermitted(sentence)
    case .notFound: self = .notFound(sentence)
    case .unimplemented: self = .refused("it does not know what was asked of it")
    default: self = .refused(sentence)
    }
  }
}

/// A server's sentence as part of one of ours: without full stop or capital, and never empty.
private func sentencePart(_ text: String) -> String {
  var text = shown(text)
  while text.last == "." || text.last?.isWhitespace == true { text.removeLast() }
  return text.isEmpty ? "it gave no reason" : text.prefix(1).lowercased() + text.dropFirst()
}
