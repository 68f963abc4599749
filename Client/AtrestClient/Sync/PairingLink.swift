// SPDX-License-Identifier: Apache-2.0
// Reads and writes pairing links: where the server is, and the code that lets a device in.

/// `atrest://HOST:PORT/XXXX-XXXXXXXX`. Secret until used: show it only to the person who asked for it.
public struct PairingLink: Hashable, Sendable {
  /// `HOST:PORT`, an IPv6 address in brackets.
  public let server: String
  /// 13 characters.
  public let code: String

  /// Why a text is no usable link. Says nothing of the code.
  public enum Failure: Error, Hashable, Sendable {
    /// It does not begin with `atrest://`, or is too long.
    case notALink
    /// The host or the port is missing or malformed.
    case badServer
    /// The code is not four letters, a hyphen, and eight letters of the alphabet in use.
    case badCode
    /// The host is not this machine. Connections are not encrypted yet, so they stay on it.
    case notLoopback

    /// What happened, then what to do.
    public var userMessage: String {
      switch self {
      case .notALink:
        "This is not a pairing link. It looks like atrest://HOST:PORT/XXXX-XXXXXXXX; copy all of it."
      case .badServer:
        "The pairing link names no server and port. It looks like atrest://HOST:PORT/XXXX-XXXXXXXX."
      case .badCode:
        "The pairing link's code is not complete. It looks like XXXX-XXXXXXXX; copy all of the link."
      case .notLoopback:
        """
        The pairing link names another machine. Connections are not encrypted yet, so only a server \
        on this machine can be used: 127.0.0.1, [::1] or localhost.
        """
      }
    }
  }

  /// A link to a server.
  ///
  /// - Parameter server: `HOST:PORT`.
  public init(server: String, code: String) throws(Failure) {
    self.server = try PairingLink.checkedServer(server)
    self.code = try PairingLink.checkedCode(code)
  }

  /// Reads a link. White space around it and lower-case letters in the code are forgiven.
  public init(parsing text: String) throws(Failure) {
    guard text.utf8.count <= 512 else { throw .notALink }
    let link = text.drop { $0.isWhitespace }
    guard link.lowercased().hasPrefix("atrest://") else { throw .notALink }
    var end = link.endIndex
    while end > link.startIndex, link[link.index(before: end)].isWhitespace {
      end = link.index(before: end)
    }
    let parts = link[..<end].dropFirst("atrest://".count)
      .split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let server = parts.first else { throw .badServer }
    guard parts.count == 2 else {
      _ = try PairingLink.checkedServer(String(server))
      throw .badCode
    }
    try self.init(server: String(server), code: parts[1].uppercased())
  }

  /// The link as people pass it on.
  public var text: String { "atrest://\(server)/\(code)" }

  private static let alphabet = Set("BCDFGHJKLMNPQRSTVWXZ".utf8)

  private static func checkedCode(_ code: String) throws(Failure) -> String {
    let units = Array(code.utf8)
    guard units.count == 13, units[4] == UInt8(ascii: "-"),
      (units[..<4] + units[5...]).allSatisfy(alphabet.contains)
    else { throw .badCode }
    return code
  }

  private static func checkedServer(_ server: String) throws(Failure) -> String {
    guard let colon = server.lastIndex(of: ":") else { throw .badServer }
    let host = server[..<colon].lowercased()
    let digits = server[server.index(after: colon)...].utf8
    guard (1...5).contains(digits.count), digits.allSatisfy({ (48...57).contains($0) }),
      let port = UInt16(String(Substring(digits))), port > 0, !host.isEmpty
    else { throw .badServer }
    guard isLoopback(host) else { throw .notLoopback }
    return "\(host):\(port)"
  }

  private static func isLoopback(_ host: String) -> Bool {
    if host == "localhost" || host == "[::1]" { return true }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127"
      && parts.allSatisfy {
        $0.utf8.allSatisfy { (48...57).contains($0) } && UInt8($0) != nil && $0.utf8.count <= 3
      }
  }
}
