// SPDX-License-Identifier: Apache-2.0
// Configures nghttp2 and routes its callbacks to their session.

import CAtrestNghttp2

/// An nghttp2 session with our options and settings, or nil if out of memory.
/// - Parameter heap: Counts what the session holds. Must outlive it.
func makeNghttp2Session(
  _ role: ConnectionLifecycle.Role, limits: Limits, heap: UnsafeMutablePointer<atrest_session_heap>
) -> OpaquePointer? {
  var callbacks: OpaquePointer?
  var options: OpaquePointer?
  guard nghttp2_session_callbacks_new(&callbacks) == 0 else { return nil }
  defer { nghttp2_session_callbacks_del(callbacks) }
  guard nghttp2_option_new(&options) == 0 else { return nil }
  defer { nghttp2_option_del(options) }
  // Flow-control windows reopen when bytes are consumed, not when they arrive.
  nghttp2_option_set_no_auto_window_update(options, 1)
  // Otherwise nghttp2 keeps ended streams for priorities, which this server ignores.
  nghttp2_option_set_no_closed_streams(options, 1)
  set(callbacks)

  var session: OpaquePointer?
  guard atrest_session_new(&session, role == .server ? 1 : 0, callbacks, options, heap) == 0
  else { return nil }
  submitSettings(session, role, limits: limits)
  return session
}

private func set(_ callbacks: OpaquePointer?) {
  nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks) { _, frame, context in
    if let frame { owner(context)?.headersBegan(frame.pointee.hd.stream_id) }
    return 0
  }
  nghttp2_session_callbacks_set_on_header_callback(callbacks) {
    _, frame, name, nameCount, value, valueCount, _, context in
    guard let frame, let context else { return 0 }
    // Without a reference of its own: a call has some ten fields.
    let isTaken = Unmanaged<HTTP2Session>.fromOpaque(context)._withUnsafeGuaranteedRef {
      $0.takeHeader(
        frame.pointee.hd.stream_id, UnsafeBufferPointer(start: name, count: nameCount),
        UnsafeBufferPointer(start: value, count: valueCount))
    }
    return isTaken ? 0 : NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue
  }
  nghttp2_session_callbacks_set_on_invalid_frame_recv_callback(callbacks) { _, _, _, context in
    owner(context)?.invalidFrameArrived()
    return 0
  }
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) {
    _, _, stream, data, count, context in
    owner(context)?.dataArrived(stream, UnsafeRawBufferPointer(start: data, count: count))
    return 0
  }
  nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks) { _, frame, context in
    if let frame { owner(context)?.frameArrived(frame) }
    return 0
  }
  nghttp2_session_callbacks_set_on_frame_send_callback(callbacks) { _, frame, context in
    if let frame { owner(context)?.frameSent(frame) }
    return 0
  }
  nghttp2_session_callbacks_set_on_stream_close_callback(callbacks) { _, stream, code, context in
    owner(context)?.streamClosed(stream, HTTP2ErrorCode(rawValue: code))
    return 0
  }
}

private func submitSettings(
  _ session: OpaquePointer?, _ role: ConnectionLifecycle.Role, limits: Limits
) {
  func entry(_ id: nghttp2_settings_id, _ value: Int) -> nghttp2_settings_entry {
    nghttp2_settings_entry(settings_id: Int32(id.rawValue), value: UInt32(clamping: value))
  }
  let window = min(limits.streamWindowBytes, Int(Int32.max))
  var settings = [
    entry(NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, window),
    entry(NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, limits.maxHeaderListBytes),
  ]
  switch role {
  case .server:
    settings.append(
      entry(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, limits.maxConcurrentStreams))
  case .client:
    settings.append(entry(NGHTTP2_SETTINGS_ENABLE_PUSH, 0))
  }
  let none = UInt8(NGHTTP2_FLAG_NONE.rawValue)
  nghttp2_submit_settings(session, none, settings, settings.count)
  nghttp2_session_set_local_window_size(
    session, none, 0, Int32(clamping: limits.connectionWindowBytes))
}

/// The body source of a stream.
func bodyProvider() -> nghttp2_data_provider {
  nghttp2_data_provider(source: nghttp2_data_source(fd: 0)) {
    _, stream, target, capacity, flags, _, context in
    guard let owner = owner(context), let target, let flags else {
      return Int(NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue)
    }
    switch owner.readBody(stream, into: target, capacity: capacity) {
    case .bytes(let count):
      return count
    case .last(let count):
      flags.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue
      return count
    case .beforeTrailers(let count):
      flags.pointee |=
        NGHTTP2_DATA_FLAG_EOF.rawValue | NGHTTP2_DATA_FLAG_NO_END_STREAM.rawValue
      return count
    case .deferred:
      return Int(NGHTTP2_ERR_DEFERRED.rawValue)
    case .gone:
      return Int(NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue)
    }
  }
}

/// The session that a callback belongs to. It is alive: only its own calls trigger callbacks.
private func owner(_ context: UnsafeMutableRawPointer?) -> HTTP2Session? {
  context.map { Unmanaged<HTTP2Session>.fromOpaque($0).takeUnretainedValue() }
}
