// SPDX-License-Identifier: Apache-2.0
// Converts keys and certificates from and to PEM.

import CAtrestOpenSSL

/// The text format of keys and certificates (RFC 7468).
enum PEM {
  /// Maximum number of certificates in one file, far more than a chain has.
  static let maxCertificates = 16

  /// The certificates in `text`, in order. Nil if there are none, too many, or a corrupt one.
  static func certificates(_ text: [UInt8]) -> [OpenSSLRef]? {
    withMemory(text) { memory in
      ERR_clear_error()
      var found: [OpenSSLRef] = []
      while let certificate = OpenSSLRef.certificate(
        PEM_read_bio_X509(memory, nil, noPassphrase, nil))
      {
        found.append(certificate)
        if found.count > maxCertificates { return nil }
      }
      // "No start line" means the end of the text. Any other error means corrupt data.
      let reason = ERR_GET_REASON(ERR_peek_last_error())
      ERR_clear_error()
      return found.isEmpty || reason != PEM_R_NO_START_LINE ? nil : found
    }
  }

  /// The result of searching for a private key.
  enum Key {
    case found(OpenSSLRef)
    case locked
    case missing
  }

  /// The first private key in `text`.
  static func key(_ text: [UInt8]) -> Key {
    withMemory(text) { memory in
      var wasAsked = false
      let pointer = PEM_read_bio_PrivateKey(memory, nil, noPassphrase, &wasAsked)
      ERR_clear_error()
      if let key = OpenSSLRef.key(pointer) { return .found(key) }
      return wasAsked ? .locked : .missing
    } ?? .missing
  }

  /// Encodes a key and its certificate into one text. Nil only if memory is exhausted.
  static func encode(key: OpaquePointer, certificate: OpaquePointer) -> [UInt8]? {
    // A secure-memory BIO wipes its buffer.
    guard let memory = OpenSSLRef.bio(BIO_new(BIO_s_secmem())),
      PEM_write_bio_PrivateKey(memory.pointer, key, nil, nil, 0, nil, nil) == 1,
      PEM_write_bio_X509(memory.pointer, certificate) == 1
    else { return nil }
    return bytes(of: memory)
  }

  /// Encodes a certificate. Nil only if memory is exhausted.
  static func encode(certificate: OpaquePointer) -> [UInt8]? {
    guard let memory = OpenSSLRef.bio(BIO_new(BIO_s_mem())),
      PEM_write_bio_X509(memory.pointer, certificate) == 1
    else { return nil }
    return bytes(of: memory)
  }

  private static func bytes(of memory: OpenSSLRef) -> [UInt8]? {
    var start: UnsafePointer<CChar>?
    let count = atrest_memory_bytes(memory.pointer, &start)
    guard let start, count > 0 else { return nil }
    return Array(UnsafeRawBufferPointer(start: start, count: count))
  }

  private static func withMemory<Value>(
    _ text: [UInt8], _ body: (OpaquePointer) -> Value?
  ) -> Value? {
    text.withUnsafeBytes { bytes in
      guard bytes.count <= KeyFile.limitBytes,
        let memory = OpenSSLRef.bio(BIO_new_mem_buf(bytes.baseAddress, CInt(bytes.count)))
      else { return nil }
      return body(memory.pointer)
    }
  }
}

/// Prevents OpenSSL from prompting at the terminal. Sets the given `Bool`, if any, to record that a
/// passphrase was requested.
private func noPassphrase(
  _: UnsafeMutablePointer<CChar>?, _: CInt, _: CInt, _ wasAsked: UnsafeMutableRawPointer?
) -> CInt {
  wasAsked?.assumingMemoryBound(to: Bool.self).pointee = true
  return -1
}
