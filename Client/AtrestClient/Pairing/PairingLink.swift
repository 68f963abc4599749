// SPDX-License-Identifier: Apache-2.0
// Reads and writes pairing links: the server's address and the code that admits a device.

/// `atrest://HOST:PORT/CERTIFICATE/XXXX-XXXXXXXX`. Secret until used: show it only to the person
/// who asked for it. Where accounts are spread over several databases, two letters that name one
/// begin the code: `CC-XXXX-XXXXXXXX`.
public struct PairingLink: Hashable, Sendable {
  /// The server's address and certificate fingerprint.
  public let server: ServerAddress
  /// The pairing code: 13 characters with the hyphen, or 16 with the letters of a cell.
  public let code: String

  /// Why a text is not a usable link. Never contains the code.
  public enum Failure: Error, Hashable, Sendable {
    /// It does not begin with `atrest://`, or is too long.
    case notALink
    /// The host or the port is missing or malformed.
    case badServer
    /// The certificate fingerprint is not a SHA-256 hash in hexadecimal.
    case badCertificate
    /// The code is not four letters, a hyphen and eight letters of the alphabet in use, after the
    /// two letters of a cell and a hyphen, if there are any.
    case badCode
    /// The host is not this machine, and the link has no certificate fingerprint to verify it.
    case notEncrypted

    /// What happened, then what to do.
    public var userMessage: String {
      switch self {
      case .notALink:
        "This is not a pairing link. It begins with atrest:// and ends with XXXX-XXXXXXXX; copy all of it."
      case .badServer:
        "The pairing link names no server and port. It begins with atrest://HOST:PORT/; copy all of it."
      case .badCertificate:
        "The pairing link's certificate is not complete: it has 64 letters and digits. Copy all of the link."
      case .badCode:
        "The pairing link's code is not complete. It looks like XXXX-XXXXXXXX; copy all of the link."
      case .notEncrypted:
        """
        The pairing link names another machine, and no certificate to know it by. Only a server on this \
        machine may be called in the clear; ask for the whole link.
        """
      }
    }
  }

  /// Creates a link.
  ///
  /// - Throws: `.badCode` if the code is malformed.
  public init(server: ServerAddress, code: String) throws(Failure) {
    self.server = server
    self.code = try PairingLink.checkedCode(code)
  }

  /// Parses a link, or the one for a browser that `webText` makes. Accepts surrounding white space
  /// and lower-case letters in the code.
  ///
  /// - Throws: The `Failure` that names the malformed part.
  public init(parsing text: String) throws(Failure) {
    guard text.utf8.count <= 512 else { throw .notALink }
    let link = text.drop { $0.isWhitespace }
    var end = link.endIndex
    while end > link.startIndex, link[link.index(before: end)].isWhitespace {
      end = link.index(before: end)
    }
    guard let rest = Self.body(of: link[..<end]) else { throw .notALink }
    guard let slash = rest.lastIndex(of: "/") else {
      _ = try ServerAddress(parsing: String(rest))
      throw .badCode
    }
    try self.init(
      server: ServerAddress(parsing: String(rest[..<slash])),
      code: rest[rest.index(after: slash)...].uppercased())
  }

  /// What follows `atrest://`. A link for a browser says it in another order.
  private static func body(of link: Substring) -> String? {
    let lowercased = link.lowercased()
    if lowercased.hasPrefix("atrest://") { return String(link.dropFirst("atrest://".count)) }
    guard lowercased.hasPrefix("https://"), let mark = link.firstIndex(of: "#"),
      link[mark...].hasPrefix("#pair=")
    else { return nil }
    var host = link[..<mark].dropFirst("https://".count)
    if host.last == "/" { host.removeLast() }
    // An address of version 6 is in brackets.
    let hasPort = host.last != "]" && host.contains(":")
    return "\(host)\(hasPort ? "" : ":443")/ca/\(link[mark...].dropFirst("#pair=".count))"
  }

  /// The link as text.
  public var text: String { "atrest://\(server.text)/\(code)" }

  /// The link that opens the web app in a browser, where the server serves one. The code is in the
  /// fragment, which browsers send to nobody. Nil if no authority vouches for the server, as no
  /// browser would trust it.
  public var webText: String? {
    guard server.proof == .authority else { return nil }
    let host = server.port == 443 ? String(server.endpoint.dropLast(":443".count)) : server.endpoint
    return "https://\(host)/#pair=\(code)"
  }

  private static let alphabet = Set("BCDFGHJKLMNPQRSTVWXZ".utf8)

  private static func checkedCode(_ code: String) throws(Failure) -> String {
    let groups = code.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    let lengths = groups.map(\.count)
    guard lengths == [4, 8] || lengths == [2, 4, 8],
      groups.allSatisfy({ $0.allSatisfy(alphabet.contains) })
    else { throw .badCode }
    return code
  }
}
