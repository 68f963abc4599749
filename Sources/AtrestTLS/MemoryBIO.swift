// SPDX-License-Identifier: Apache-2.0
// Replaces the socket: OpenSSL reads from and writes to memory.

import CAtrestOpenSSL

/// The ciphertext of one connection, in both directions. Holds no memory while idle.
///
/// OpenSSL's own memory BIOs would copy every byte once more and keep their largest size for the
/// lifetime of the connection.
final class MemoryBIO {
  /// Received bytes that OpenSSL has not read. Valid only during one call.
  var input = UnsafeRawBufferPointer(start: nil, count: 0)
  /// Ciphertext to send.
  var output: [UInt8] = []
  /// Once the peer exceeds it, OpenSSL receives no more input.
  let keyUpdates = KeyUpdateBudget()

  /// Creates a BIO on this object, which must outlive it; nil only if out of memory.
  func makeBIO() -> OpaquePointer? {
    guard let method = Self.method.pointer, let bio = BIO_new(method) else { return nil }
    BIO_set_data(bio, Unmanaged.passUnretained(self).toOpaque())
    BIO_set_init(bio, 1)
    return bio
  }

  fileprivate static func of(_ bio: OpaquePointer?) -> MemoryBIO? {
    BIO_get_data(bio).map { Unmanaged<MemoryBIO>.fromOpaque($0).takeUnretainedValue() }
  }

  private static let method = Method()

  /// The BIO's function table; one per process, never freed.
  private struct Method: @unchecked Sendable {
    // Sendable: OpenSSL only reads it once it is complete.
    let pointer: OpaquePointer?

    init() {
      pointer = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "atrest")
      BIO_meth_set_read(pointer, readWire)
      BIO_meth_set_write(pointer, writeWire)
      BIO_meth_set_ctrl(pointer, controlWire)
    }
  }
}

private func readWire(
  _ bio: OpaquePointer?, _ target: UnsafeMutablePointer<CChar>?, _ capacity: CInt
) -> CInt {
  atrest_clear_retry(bio)
  guard let wire = MemoryBIO.of(bio), let target, capacity > 0 else { return -1 }
  guard let source = wire.input.baseAddress, wire.input.count > 0, !wire.keyUpdates.isOverspent
  else {
    atrest_retry_read(bio)
    return -1
  }
  let count = min(Int(capacity), wire.input.count)
  UnsafeMutableRawPointer(target).copyMemory(from: source, byteCount: count)
  wire.input = UnsafeRawBufferPointer(rebasing: wire.input[count...])
  return CInt(count)
}

private func writeWire(
  _ bio: OpaquePointer?, _ source: UnsafePointer<CChar>?, _ count: CInt
) -> CInt {
  atrest_clear_retry(bio)
  guard let wire = MemoryBIO.of(bio), let source, count >= 0 else { return -1 }
  wire.output.append(contentsOf: UnsafeRawBufferPointer(start: source, count: Int(count)))
  return count
}

/// Flush succeeds: written bytes are available at once. No other command is supported.
private func controlWire(
  _: OpaquePointer?, _ command: CInt, _: CLong, _: UnsafeMutableRawPointer?
) -> CLong {
  command == BIO_CTRL_FLUSH ? 1 : 0
}
