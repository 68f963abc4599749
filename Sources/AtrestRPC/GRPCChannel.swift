// SPDX-License-Identifier: Apache-2.0
// Calls methods of one server over one connection.

import AtrestHTTP2
import AtrestSockets
import AtrestTLS
import Synchronization

/// A client's way to one server: one connection, opened when first needed and again after it broke.
/// Thread-safe. Letting it go closes it; `close` waits for that.
public final class GRPCChannel: Sendable {
  /// What a channel's owner may choose.
  public struct Configuration: Sendable {
    /// Bounds on the server; `limits.connectTimeout` covers TCP and TLS together, per address.
    public var limits = Limits.default
    /// What large requests are compressed with; nil for none.
    public var compression: Compression?
    /// The `user-agent` of every call.
    public var userAgent = "atrest"
    /// Calls that may wait for a connection or for the server's stream limit; more are refused with
    /// RESOURCE_EXHAUSTED.
    public var maxWaitingCalls = 4_096
    /// Messages a stream holds for its reader before the server is made to wait (flow control).
    public var streamBufferMessages = 16
    /// Which server is believed; nil for plaintext, which is for loopback only.
    public var tls: ClientTLS?

    /// The defaults.
    public init() {}
  }

  /// Where the channel lives.
  public let shard: Shard
  private let ownsShard: Bool
  private let bufferMessages: Int
  private let limits: Limits
  private let core: ShardBound<ChannelCore>
  private let end = OneShotEvent()
  private let note = TLSFailureNote()

  /// A channel; nothing is opened before the first call.
  /// - Parameter shard: Where it lives; several channels may share one. Nil makes one of its own.
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

  /// Why TLS failed, if that is what ended the last attempt to connect, or the last connection.
  /// Calls then fail UNAVAILABLE with its sentence; this tells a stranger's certificate from a lost
  /// network. Thread-safe.
  public var tlsFailure: TLSError? { note.error }

  /// One message each way.
  ///
  /// Cancelling the task cancels the call, which then throws CANCELLED. A server that cannot be
  /// reached is UNAVAILABLE, with a sentence for a person. Nothing is retried.
  /// - Parameters:
  ///   - path: `/package.Service/Method`.
  ///   - timeout: For the whole call, connecting included; nil waits for ever.
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

  /// Callback form of `unary`, without a task: for load generators and bridges.
  /// - Parameter completion: Called once, on the channel's shard. It may start further calls.
  /// - Returns: What cancels the call, from any thread.
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

  /// One message out, a stream of them in. The call starts at once and is cancelled when the stream
  /// is let go, or the task that iterates it is cancelled.
  public func serverStream(
    _ path: String, _ request: [UInt8], metadata: Metadata = Metadata(), timeout: Duration? = nil
  ) -> ResponseStream {
    responses(of: ClientCall(path, metadata, timeout, request: request))
  }

  /// A stream of messages out, one in. The call starts at once and is cancelled when either half is
  /// let go before its end.
  public func clientStream(
    _ path: String, metadata: Metadata = Metadata(), timeout: Duration? = nil
  ) -> (requests: RequestWriter, response: SingleResponse) {
    let (requests, responses) = bidirectionalStream(path, metadata: metadata, timeout: timeout)
    return (requests, SingleResponse(responses))
  }

  /// Streams of messages both ways. The call starts at once and is cancelled when either half is
  /// let go before its end.
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

  /// Ends calls with UNAVAILABLE and closes the connection, and the shard if it is the channel's
  /// own. Returns when that is done, within about a second. Idempotent; later calls fail.
  public func close() async {
    shard.async { [core] in core.value.close() }
    await end.wait()
    if ownsShard { await shard.stop() }
  }

  private func begin(_ call: ClientCall) {
    // From a completion, say: the call joins this turn's write.
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

  /// Ends the call; its completion gets CANCELLED, unless it has been called already.
  public func cancel() {
    // The flag counts if the call has not reached its shard yet.
    call.requestCancellation()
    core.shard.async { [call, core] in core.value.cancel(call) }
  }
}

/// Where a channel's shard leaves word for other threads of why TLS failed.
final class TLSFailureNote: Sendable {
  private let value = Mutex<TLSError?>(nil)

  var error: TLSError? {
    get { value.withLock { $0 } }
    set { value.withLock { $0 = newValue } }
  }
}
