// SPDX-License-Identifier: Apache-2.0
// Converts keys and certificates from and to PEM.

import CAtrestOpenSSL

/// PEM, the text format of keys and certificates (RFC 7468).
enum PEM {
  /// Maximum certificates per file: far more than a chain has.
  static let maxCertificates = 16

  /// The certificates in `text`, in order; nil if there are none, too many, or a malformed one.
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
      // "No start line" means the end of the text; any other error means malformed input.
      let reason = ERR_GET_REASON(ERR_peek_last_error())
      ERR_clear_error()
      return found.isEmpty || reason != PEM_R_NO_START_LINE ? nil : found
    }
  }

  /// The result of looking for a private key.
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

  /// Encodes key and certificate in one text; nil if out of memory.
  static func encode(key: OpaquePointer, certificate: OpaquePointer) -> [UInt8]? {
    // The secure BIO wipes its memory.
    guard let memory = OpenSSLRef.bio(BIO_new(BIO_s_secmem())),
      PEM_write_bio_PrivateKey(memory.pointer, key, nil, nil, 0, nil, nil) == 1,
      PEM_write_bio_X509(memory.pointer, certificate) == 1
    else { return nil }
    return bytes(of: memory)
  }

  /// Encodes a certificate; nil if out of memory.
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

/// Without it, OpenSSL would prompt at the terminal. Sets `wasAsked`, if given, to true.
private func noPassphrase(
  _: UnsafeMutablePointer<CChar>?, _: CInt, _: CInt, _ wasAsked: UnsafeMutableRawPointer?
) -> CInt {
  wasAsked?.assumingMemoryBound(to: Bool.self).pointee = true
  return -1
}
