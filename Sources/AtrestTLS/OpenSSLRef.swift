// SPDX-License-Identifier: Apache-2.0
// Gives each OpenSSL object one Swift owner.

import CAtrestOpenSSL

/// Owns one reference to an OpenSSL object and frees it once.
final class OpenSSLRef: @unchecked Sendable {
  // Sendable: OpenSSL counts references atomically, and shared objects are immutable once handed
  // on.
  let pointer: OpaquePointer
  private let free: @Sendable (OpaquePointer) -> Void

  /// Takes ownership of `pointer`; nil if it is nil, as after an allocation failure.
  init?(_ pointer: OpaquePointer?, free: @escaping @Sendable (OpaquePointer) -> Void) {
    guard let pointer else { return nil }
    self.pointer = pointer
    self.free = free
  }

  deinit {
    free(pointer)
  }

  static func certificate(_ pointer: OpaquePointer?) -> OpenSSLRef? {
    OpenSSLRef(pointer) { X509_free($0) }
  }

  static func key(_ pointer: OpaquePointer?) -> OpenSSLRef? {
    OpenSSLRef(pointer) { EVP_PKEY_free($0) }
  }

  static func context(_ pointer: OpaquePointer?) -> OpenSSLRef? {
    OpenSSLRef(pointer) { SSL_CTX_free($0) }
  }

  static func session(_ pointer: OpaquePointer?) -> OpenSSLRef? {
    OpenSSLRef(pointer) { SSL_SESSION_free($0) }
  }

  static func bio(_ pointer: OpaquePointer?) -> OpenSSLRef? {
    OpenSSLRef(pointer) { BIO_free_all($0) }
  }
}
