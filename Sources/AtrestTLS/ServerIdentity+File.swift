// SPDX-License-Identifier: Apache-2.0
// Where a server's identity is kept, and how one of an authority is loaded.

import CAtrestOpenSSL
import Glibc

extension ServerIdentity {
  /// Loads a certificate chain and its key from PEM files, as authorities issue them.
  ///
  /// - Parameters:
  ///   - certificateFile: The server's certificate, then those that lead to the authority's.
  ///   - keyFile: The key, not locked. May be the same file.
  ///   - now: Seconds since 1970, UTC.
  /// - Throws: What is wrong: unreadable, no PEM, a locked key, a key of another certificate,
  ///   dates.
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

  /// The identity that a file holds; makes one, and the file, if there is none.
  ///
  /// The file has mode 0600, and holds key and certificate together: one without the other is of no
  /// use. A file that is damaged, or that others may read, is an error and stays as it is: a new
  /// identity would make every paired device distrust the server. Dates are not checked; devices
  /// pin.
  ///
  /// Call it for one file from one process at a time.
  public static func loadOrMake(
    file: String, now: Int = time(nil)
  ) throws(TLSFileError) -> ServerIdentity {
    let keyFile = KeyFile(path: file)
    if keyFile.exists { return try load(own: keyFile) }
    let identity = try generate(now: now)
    guard let leaf = identity.chain.first,
      var text = PEM.encode(key: identity.key.pointer, certificate: leaf.pointer)
    else { throw .unwritable(path: file, reason: "there is no memory") }
    defer { KeyFile.wipe(&text) }
    try keyFile.write(text)
    // What is used is what was stored: a mistake shows now, not at the next start.
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
