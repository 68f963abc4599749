// SPDX-License-Identifier: Apache-2.0
// Stores a server's own identity and loads CA-issued ones.

import CAtrestOpenSSL
import Glibc

extension ServerIdentity {
  /// Loads a certificate chain and its key from PEM files, as CAs issue them.
  ///
  /// - Parameters:
  ///   - certificateFile: The server's certificate, then the intermediates.
  ///   - keyFile: The unencrypted key. May be the same file.
  ///   - now: Seconds since 1970, UTC.
  /// - Throws: `TLSFileError`: unreadable, not PEM, encrypted key, key mismatch, or outside its
  ///   validity dates.
  public static func load(
    certificateFile: String, keyFile: String, now: Int = time(nil)
  ) throws(TLSFileError) -> ServerIdentity {
    guard let chain = PEM.certificates(try KeyFile(path: certificateFile).read()) else {
      throw .noCertificate(path: certificateFile)
    }
    var text = try KeyFile(path: keyFile).read()
    defer { KeyFile.wipe(&text) }
    let identity = try ServerIdentity(
      key: key(in: text, path: keyFile), chain: chain, keyPath: keyFile, path: certificateFile)
    try identity.checkDates(now: now)
    return identity
  }

  /// Loads the identity in a file, or generates one and stores it if there is no file.
  ///
  /// The file has mode 0600 and holds both key and certificate. A damaged file, or one that other
  /// users may read, is an error and is left as it is: a new identity would make every paired
  /// device distrust the server. Dates are not checked, because devices pin the certificate.
  ///
  /// Not safe for concurrent calls on one file.
  /// - Parameter hosts: Names and addresses for a certificate that is generated.
  public static func loadOrMake(
    file: String, for hosts: [String] = [], now: Int = time(nil)
  ) throws(TLSFileError) -> ServerIdentity {
    let keyFile = KeyFile(path: file)
    if keyFile.exists { return try load(own: keyFile) }
    let identity = try generate(for: hosts, now: now)
    guard let leaf = identity.chain.first,
      var text = PEM.encode(key: identity.key.pointer, certificate: leaf.pointer)
    else { throw .unwritable(path: file, reason: "there is no memory") }
    defer { KeyFile.wipe(&text) }
    try keyFile.write(text)
    // Loads what was stored, so an error shows now and not at the next start.
    return try load(own: keyFile)
  }

  private static func load(own file: KeyFile) throws(TLSFileError) -> ServerIdentity {
    var text = try file.read(isPrivate: true)
    defer { KeyFile.wipe(&text) }
    let key = try key(in: text, path: file.path)
    guard let chain = PEM.certificates(text) else { throw .noCertificate(path: file.path) }
    return try ServerIdentity(key: key, chain: chain, keyPath: file.path, path: file.path)
  }

  private static func key(in text: [UInt8], path: String) throws(TLSFileError) -> OpenSSLRef {
    switch PEM.key(text) {
    case .found(let key): return key
    case .locked: throw .lockedKey(path: path)
    case .missing: throw .noKey(path: path)
    }
  }
}
