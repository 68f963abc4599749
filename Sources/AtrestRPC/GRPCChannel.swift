// SPDX-License-Identifier: Apache-2.0
// A gRPC client channel: calls one server over one connection.

import AtrestHTTP2
import AtrestSockets
import AtrestTLS
import Synchronization

/// A client channel to one server. Opens its one connection on the first call and reopens it after
/// a failure. Thread-safe. Closes when released; `close` also waits for that.
public final class GRPCChannel: Sendable {
  /// A channel's configuration.
  public struct Configuration: Sendable {
    /// Bounds on the server. `limits.connectTimeout` covers TCP and TLS together, per address.
    public var limits = Limits.default
    /// Compression of large requests; nil for none.
    public var compression: Compression?
    /// The `user-agent` of every call.
    public var userAgent = "atrest"
    /// Maximum calls waiting for a connection or for the server's stream limit. More fail with
    /// RESOURCE_EXHAUSTED.
    public var maxWaitingCalls = 4_096
    /// Response messages buffered per stream before flow control pauses the server.
    public var streamBufferMessages = 16
    /// Server verification; nil for plaintext, which is for loopback only.
    public var tls: ClientTLS?

    /// Creates the default configuration.
    public init() {}
  }

  /// The shard that runs the channel.
  public let shard: Shard
  private let ownsShard: Bool
  private let bufferMessages: Int
  private let limits: Limits
  private let core: ShardBound<ChannelCore>
  private let end = OneShotEvent()
  private let note = TLSFailureNote()

  /// Creates a channel. Opens no connection before the first call.
  /// - Parameter shard: The shard to run on, which channels may share. Nil creates a private one.
  /// - Throws: `SocketError` of `.prepare`.
  public init(
    to endpoint: Endpoint, configuration: Configuration = Configuration(), shard: Shard? = nil
  ) throws(SocketError) {
    let home: Shard
    if let shard { home = shard } else { home = try Shard(label: "atrest.channel") }
    self.shard = home
    ownsShard = shard == nil
    bufferMessages = configuration.streamBufferMessages
    limits = configuration.limits
    let core = ChannelCore(
      endpoint: endpoint, configuration: configuration, shard: home, note: note, end: end)
    self.core = ShardBound(sending: core, to: home)
  }

  deinit {
    let core = core
    shard.async { core.value.close() }
  }

  /// The TLS error that ended the last connection attempt or connection, if any. Calls then fail
  /// with UNAVAILABLE and its message. Distinguishes an untrusted certificate from a lost network.
  /// Thread-safe.
  public var tlsFailure: TLSError? { note.error }

  /// Makes a unary call. Never retries.
  ///
  /// Cancelling the task cancels the call.
  /// - Parameters:
  ///   - path: `/package.Service/Method`.
  ///   - timeout: Time for the whole call, including connecting. Nil means no limit.
  /// - Throws: `Status`: CANCELLED if cancelled; UNAVAILABLE, with a message for the user, if the
  ///   server is unreachable; or the server's status.
  public func unary(
    _ path: String, _ request: [UInt8], metadata: Metadata = Metadata(), timeout: Duration? = nil
  ) async throws(Status) -> [UInt8] {
    let call = ClientCall(path, metadata, timeout, request: request)
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { done in
        call.setResponse(.single(completion: { done.resume(returning: $0) }))
        begin(call)
      }
    } onCancel: {
      cancel(call)
    }
    return try result.get()
  }

  /// Makes a unary call with a callback instead of a task: for load generators and bridges.
  /// - Parameter completion: Called once, on the channel's shard. May start further calls.
  /// - Returns: A handle that cancels the call from any thread.
  @discardableResult
  public func startUnary(
    _ path: String, _ request: [UInt8], metadata: Metadata = Metadata(), timeout: Duration? = nil,
    completion: @escaping @Sendable (Result<[UInt8], Status>) -> Void
  ) -> CallHandle {
    let call = ClientCall(path, metadata, timeout, request: request)
    call.setResponse(.single(completion: completion))
    begin(call)
    return CallHandle(call, core)
  }

  /// Makes a server-streaming call. Starts at once. Releasing the stream or cancelling its reading
  /// task cancels the call.
  public func serverStream(
    _ path: String, _ request: [UInt8], metadata: Metadata = Metadata(), timeout: Duration? = nil
  ) -> ResponseStream {
    responses(of: ClientCall(path, metadata, timeout, request: request))
  }

  /// Makes a client-streaming call. Starts at once. Releasing either half before its end cancels
  /// the call.
  public func clientStream(
    _ path: String, metadata: Metadata = Metadata(), timeout: Duration? = nil
  ) -> (requests: RequestWriter, response: SingleResponse) {
    let (requests, responses) = bidirectionalStream(path, metadata: metadata, timeout: timeout)
    return (requests, SingleResponse(responses))
  }

  /// Makes a bidirectional call. Starts at once. Releasing either half before its end cancels the
  /// call.
  public func bidirectionalStream(
    _ path: String, metadata: Metadata = Metadata(), timeout: Duration? = nil
  ) -> (requests: RequestWriter, responses: ResponseStream) {
    let call = ClientCall(path, metadata, timeout)
    let queue = call.streamRequest(on: shard, limits: limits)
    let responses = responses(of: call)
    return (RequestWriter(queue, CallHandle(call, core)), responses)
  }

  private func responses(of call: ClientCall) -> ResponseStream {
    let buffer = StreamBuffer(limit: bufferMessages)
    call.setResponse(.stream(buffer))
    begin(call)
    return ResponseStream(CallHandle(call, core), buffer)
  }

  /// Ends calls with UNAVAILABLE and closes the connection, and the shard if private. Returns when
  /// done, within about a second. Idempotent; later calls fail.
  public func close() async {
    shard.async { [core] in core.value.close() }
    await end.wait()
    if ownsShard { await shard.stop() }
  }

  private func begin(_ call: ClientCall) {
    // Already on the shard, for instance in a completion: the call joins this turn's write.
    if shard.isCurrent { return core.value.begin(call) }
    shard.async { [core] in core.value.begin(call) }
  }

  private func cancel(_ call: ClientCall) {
    CallHandle(call, core).cancel()
  }
}

/// Cancels a call, from any thread.
public struct CallHandle: Sendable {
  let call: ClientCall
  let core: ShardBound<ChannelCore>

  init(_ call: ClientCall, _ core: ShardBound<ChannelCore>) {
    self.call = call
    self.core = core
  }

  /// Ends the call. Its completion receives CANCELLED, unless it was called already.
  public func cancel() {
    // The flag covers a call that has not reached its shard yet.
    call.requestCancellation()
    core.shard.async { [call, core] in core.value.cancel(call) }
  }
}

/// Publishes the last TLS failure from a channel's shard to other threads.
final class TLSFailureNote: Sendable {
  private let value = Mutex<TLSError?>(nil)

  var error: TLSError? {
    get { value.withLock { $0 } }
    set { value.withLock { $0 = newValue } }
  }
}
