// SPDX-License-Identifier: Apache-2.0
// Why a client does not believe a server, in the words of every transport.

/// Why a server is not believed to be the expected one. Retrying does not help until somebody has
/// investigated.
public enum ServerDistrust: Error, Hashable, Sendable {
  /// It has another certificate than the pinned one.
  case pinMismatch
  /// Its certificate has expired.
  case expired
  /// Its certificate is not valid yet.
  case notYetValid
  /// Its certificate is for another name than this one.
  case wrongName(String)
  /// No authority that this machine trusts has signed its certificate.
  case unknownIssuer
  /// Its certificate fails another check, which is named.
  case untrusted(String)

  /// What happened, then what to do, for the user who made the call.
  public var userMessage: String {
    switch self {
    case .pinMismatch:
      """
      The server's certificate is not the one this device was paired with. Somebody may be listening \
      in on this network, or the server has a new certificate: ask its owner, then pair again.
      """
    case .expired:
      "The server's certificate has expired. Its owner has to renew it; check this device's date, too."
    case .notYetValid:
      "The server's certificate is not valid yet. Check the date of this device and of the server."
    case .wrongName(let name):
      """
      The server's certificate is not for “\(name.prefix(120))”. Check the address; if it is right, \
      the server's owner has to get a certificate for this name.
      """
    case .unknownIssuer:
      """
      Nobody this device trusts has signed the server's certificate. Use a pairing link, which \
      carries the certificate's fingerprint, or a certificate of a known authority.
      """
    case .untrusted(let reason):
      "The server's certificate cannot be trusted (\(reason)). Its owner has to replace it."
    }
  }
}
