// SPDX-License-Identifier: Apache-2.0
// Says what is wrong with a file of keys or certificates, in a sentence for whoever runs the
// server.

/// Why a key, a certificate or a list of authorities cannot be used. Nothing of a file's content is
/// in it.
public enum TLSFileError: Error, Hashable, Sendable {
  /// The file cannot be read; in the system's words.
  case unreadable(path: String, reason: String)
  /// The file cannot be written; in the system's words.
  case unwritable(path: String, reason: String)
  /// The file with the server's own key can be read by other users.
  case exposed(path: String)
  /// There is no certificate in the file, or a damaged one.
  case noCertificate(path: String)
  /// There is no private key in the file, or a damaged one.
  case noKey(path: String)
  /// The private key is locked with a passphrase.
  case lockedKey(path: String)
  /// The key is another one than the certificate's.
  case keyMismatch(key: String, certificate: String)
  /// The certificate was valid until a day that has passed.
  case expired(path: String)
  /// The certificate is valid from a day that is still to come.
  case notYetValid(path: String)
  /// OpenSSL refuses it, in its words: a key that is too short, for instance.
  case unusable(path: String, reason: String)

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
  /// The sentence for a person.
  public var description: String { userMessage }
}
