// SPDX-License-Identifier: Apache-2.0
// SHA-256, of bytes at hand or of bytes that arrive in pieces.

#if canImport(CryptoKit)
  import CryptoKit
#else
  import CAtrestOpenSSL
#endif

/// A hash under way. A plain value: copies do not share what they are fed afterwards.
///
/// OpenSSL's structure lies inside, not its `EVP_MD_CTX` on the heap: that takes 1.8 times as long
/// for a record of 120 bytes, can fail, and would have to be copied by hand.
package struct SHA256: Sendable {
  /// The length of a hash in bytes.
  package static let byteCount = 32

  #if canImport(CryptoKit)
    private var state = CryptoKit.SHA256()
  #else
    private var state = SHA256_CTX()
  #endif

  /// Begins with no bytes.
  package init() {
    #if !canImport(CryptoKit)
      atrest_sha256_begin(&state)
    #endif
  }

  /// The hash of `bytes`, in 32 bytes.
  package static func hash(_ bytes: [UInt8]) -> [UInt8] {
    var hash = SHA256()
    hash.update(bytes)
    return hash.finalized()
  }

  /// The first eight bytes of the hash of `bytes`, little-endian. Allocates nothing.
  package static func firstWord(of bytes: [UInt8]) -> UInt64 {
    var hash = SHA256()
    hash.update(bytes)
    return hash.withFinalized { UInt64(littleEndian: $0.loadUnaligned(as: UInt64.self)) }
  }

  /// Adds bytes.
  package mutating func update(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { update($0) }
  }

  /// Adds the bytes of a part of an array.
  package mutating func update(_ bytes: ArraySlice<UInt8>) {
    bytes.withUnsafeBytes { update($0) }
  }

  /// Adds the eight bytes of a number, the most significant one first.
  package mutating func update(bigEndian number: UInt64) {
    withUnsafeBytes(of: number.bigEndian) { update($0) }
  }

  /// The hash of what was added so far, in 32 bytes. More may be added afterwards.
  package func finalized() -> [UInt8] {
    withFinalized { Array($0) }
  }

  private mutating func update(_ bytes: UnsafeRawBufferPointer) {
    #if canImport(CryptoKit)
      state.update(bufferPointer: bytes)
    #else
      atrest_sha256_add(&state, bytes.baseAddress, bytes.count)
    #endif
  }

  private func withFinalized<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    #if canImport(CryptoKit)
      return state.finalize().withUnsafeBytes(body)
    #else
      var copy = state
      return withUnsafeTemporaryAllocation(byteCount: Self.byteCount, alignment: 8) { bytes in
        atrest_sha256_end(&copy, bytes.baseAddress)
        return body(UnsafeRawBufferPointer(bytes))
      }
    #endif
  }
}
