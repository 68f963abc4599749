// SPDX-License-Identifier: Apache-2.0
// Errors of key and certificate files, with messages for the operator.

/// Why a key, certificate or CA file cannot be used. Contains no file contents.
public enum TLSFileError: Error, Hashable, Sendable {
  /// The file cannot be read; with the system's reason.
  case unreadable(path: String, reason: String)
  /// The file cannot be written; with the system's reason.
  case unwritable(path: String, reason: String)
  /// Other users may read the file with the server's own key.
  case exposed(path: String)
  /// The file has no valid certificate.
  case noCertificate(path: String)
  /// The file has no valid private key.
  case noKey(path: String)
  /// The private key is encrypted with a passphrase.
  case lockedKey(path: String)
  /// The key does not match the certificate.
  case keyMismatch(key: String, certificate: String)
  /// The certificate has expired.
  case expired(path: String)
  /// The certificate is not valid yet.
  case notYetValid(path: String)
  /// OpenSSL rejects it, with its reason: a key that is too short, for instance.
  case unusable(path: String, reason: String)

  /// Whether time or a renewal heals it: the clock is set, or another program writes the files. A
  /// service that ends with it is to be started again.
  public var passes: Bool {
    switch self {
    case .unreadable, .noCertificate, .noKey, .keyMismatch, .expired, .notYetValid: true
    case .unwritable, .exposed, .lockedKey, .unusable: false
    }
  }

  /// What happened, then what to do.
  public var userMessage: String {
    switch self {
    case .unreadable(let path, let reason):
      "\(path) cannot be read (\(reason)). Check the path, and that this user may read it."
    case .unwritable(let path, let reason):
      "\(path) cannot be written (\(reason)). Check the folder, its owner, and the room on the disk."
    case .exposed(let path):
      "\(path) holds the server's key, and other users may read it. Run: chmod 600 \(path)"
    case .noCertificate(let path):
      "\(path) holds no certificate that can be read. It has to be in PEM format, the server's first."
    case .noKey(let path):
      "\(path) holds no private key that can be read. It has to be in PEM format."
    case .lockedKey(let path):
      """
      The key in \(path) is locked with a passphrase, and nobody is there to type it. \
      Unlock it with: openssl pkey -in \(path) -out unlocked.pem
      """
    case .keyMismatch(let key, let certificate):
      "The key in \(key) does not belong to the certificate in \(certificate). Choose the pair anew."
    case .expired(let path):
      "The certificate in \(path) has expired. Renew it, then try again."
    case .notYetValid(let path):
      "The certificate in \(path) is not valid yet. Check the date of this machine."
    case .unusable(let path, let reason):
      "What \(path) holds cannot be used (\(reason)). Make a new key of 256 bits (EC) or more."
    }
  }
}

extension TLSFileError: CustomStringConvertible {
  /// Equals `userMessage`.
  public var description: String { userMessage }
}
