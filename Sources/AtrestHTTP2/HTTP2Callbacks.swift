// SPDX-License-Identifier: Apache-2.0
// Decides how nghttp2 is set up and how its callbacks reach a connection.

import CAtrestNghttp2

/// A session with our options and settings, or nil when there is no memory for one.
///
/// nghttp2 forbids calling `mem_recv` and `mem_send` from callbacks; ours submit frames and note
/// events.
func makeSession(limits: Limits, isServer: Bool) -> OpaquePointer? {
  var callbacks: OpaquePointer?
  var options: OpaquePointer?
  guard nghttp2_session_callbacks_new(&callbacks) == 0 else { return nil }
  defer { nghttp2_session_callbacks_del(callbacks) }
  guard nghttp2_option_new(&options) == 0 else { return nil }
  defer { nghttp2_option_del(options) }
  // Windows open again when bytes were taken, not when they arrived.
  nghttp2_option_set_no_auto_window_update(options, 1)

  nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks) { _, frame, context in
    guard let frame, let owner = connection(context) else { return 0 }
    owner.headerBlockSince = owner.now
    owner.headersBegan(frame.pointee.hd.stream_id)
    return 0
  }
  nghttp2_session_callbacks_set_on_header_callback(callbacks) {
    _, frame, name, nameCount, value, valueCount, _, context in
    guard let frame, let owner = connection(context) else { return 0 }
    let isTaken = owner.headerArrived(
      frame.pointee.hd.stream_id, UnsafeBufferPointer(start: name, count: nameCount),
      UnsafeBufferPointer(start: value, count: valueCount))
    if isTaken { return 0 }
    // The rest of the block is skipped, and its end is not reported.
    owner.headerBlockSince = nil
    return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue
  }
  nghttp2_session_callbacks_set_on_invalid_frame_recv_callback(callbacks) { _, _, _, context in
    // A malformed header block ends here, not in `on_frame_recv`.
    connection(context)?.headerBlockSince = nil
    return 0
  }
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) {
    _, _, stream, data, count, context in
    connection(context)?.dataArrived(stream, UnsafeRawBufferPointer(start: data, count: count))
    return 0
  }
  nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks) { _, frame, context in
    if let frame, let owner = connection(context) { frameArrived(frame, owner) }
    return 0
  }
  nghttp2_session_callbacks_set_on_frame_send_callback(callbacks) { _, frame, context in
    if let frame, let owner = connection(context) { frameWasSent(frame, owner) }
    return 0
  }
  nghttp2_session_callbacks_set_on_stream_close_callback(callbacks) { _, stream, code, context in
    connection(context)?.streamClosed(stream, code: code)
    return 0
  }

  var session: OpaquePointer?
  let made =
    isServer
    ? nghttp2_session_server_new2(&session, callbacks, nil, options)
    : nghttp2_session_client_new2(&session, callbacks, nil, options)
  guard made == 0 else { return nil }
  submitSettings(session, limits: limits, isServer: isServer)
  return session
}

private func submitSettings(_ session: OpaquePointer?, limits: Limits, isServer: Bool) {
  func entry(_ id: nghttp2_settings_id, _ value: Int) -> nghttp2_settings_entry {
    nghttp2_settings_entry(settings_id: Int32(id.rawValue), value: UInt32(clamping: value))
  }
  let window = min(limits.streamWindowBytes, Int(Int32.max))
  var settings = [
    entry(NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, window),
    entry(NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, limits.maxHeaderListBytes),
  ]
  if isServer {
    settings.append(
      entry(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, limits.maxConcurrentStreams))
  } else {
    settings.append(entry(NGHTTP2_SETTINGS_ENABLE_PUSH, 0))
  }
  let none = UInt8(NGHTTP2_FLAG_NONE.rawValue)
  nghttp2_submit_settings(session, none, settings, settings.count)
  nghttp2_session_set_local_window_size(
    session, none, 0, Int32(clamping: limits.connectionWindowBytes))
}

/// The provider nghttp2 asks for the body of a stream.
func bodyProvider() -> nghttp2_data_provider {
  nghttp2_data_provider(source: nghttp2_data_source(fd: 0)) {
    _, stream, target, capacity, flags, _, context in
    guard let owner = connection(context), let target, let flags else {
      return Int(NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue)
    }
    return owner.readBody(stream, into: target, capacity: capacity, flags: flags)
  }
}

/// The object a callback belongs to. Alive: callbacks come only from calls it makes itself.
private func connection(_ context: UnsafeMutableRawPointer?) -> HTTP2Connection? {
  context.map { Unmanaged<HTTP2Connection>.fromOpaque($0).takeUnretainedValue() }
}

private func frameArrived(_ frame: UnsafePointer<nghttp2_frame>, _ owner: HTTP2Connection) {
  let head = frame.pointee.hd
  let isEnd = head.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0
  switch UInt32(head.type) {
  case NGHTTP2_DATA.rawValue:
    if isEnd {
      owner.dataEnded(head.stream_id)
    } else if head.length > 0, frame.pointee.data.padlen >= head.length {
      owner.paddingArrived()
    }
  case NGHTTP2_HEADERS.rawValue:
    owner.headerBlockSince = nil
    owner.headersEnded(head.stream_id, isEnd: isEnd)
  case NGHTTP2_RST_STREAM.rawValue:
    owner.resetArrived(head.stream_id, code: frame.pointee.rst_stream.error_code)
  case NGHTTP2_SETTINGS.rawValue:
    if head.flags & UInt8(NGHTTP2_FLAG_ACK.rawValue) == 0 { owner.settingsArrived() }
  case NGHTTP2_PING.rawValue:
    if head.flags & UInt8(NGHTTP2_FLAG_ACK.rawValue) == 0 {
      owner.pingArrived()
    } else {
      owner.pingAnswered(withUnsafeBytes(of: frame.pointee.ping.opaque_data, Array.init))
    }
  case NGHTTP2_GOAWAY.rawValue:
    owner.goAwayArrived()
  default:
    break
  }
}

private func frameWasSent(_ frame: UnsafePointer<nghttp2_frame>, _ owner: HTTP2Connection) {
  let head = frame.pointee.hd
  switch UInt32(head.type) {
  case NGHTTP2_DATA.rawValue, NGHTTP2_HEADERS.rawValue:
    let isEnd = head.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0
    owner.payloadWasSent(head, isEnd: isEnd)
  case NGHTTP2_RST_STREAM.rawValue:
    owner.resetWasSent(head.stream_id, code: frame.pointee.rst_stream.error_code)
  case NGHTTP2_GOAWAY.rawValue:
    owner.goAwayWasSent()
  default:
    break
  }
}
