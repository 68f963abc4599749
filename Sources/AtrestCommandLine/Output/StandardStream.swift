// SPDX-License-Identifier: Apache-2.0
// Writes to descriptors that other programs read: all of it, or why not.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Standard output and standard error.
package enum StandardStream {
  /// Writes all bytes, unbuffered, so that words and errors keep their order.
  ///
  /// - Returns: 0, or the system's error number.
  package static func write(_ bytes: some Collection<UInt8>, to descriptor: Int32) -> Int32 {
    var rest = Array(bytes)[...]
    while !rest.isEmpty {
      #if canImport(Darwin)
        let count = rest.withUnsafeBytes { Darwin.write(descriptor, $0.baseAddress, $0.count) }
      #elseif canImport(Musl)
        let count = rest.withUnsafeBytes { Musl.write(descriptor, $0.baseAddress, $0.count) }
      #else
        let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      #endif
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EAGAIN {
        awaitRoom(descriptor)
        continue
      }
      guard count > 0 else { return count < 0 ? errno : EIO }
      rest = rest.dropFirst(count)
    }
    return 0
  }

  /// Writes all of a text, as above.
  package static func write(_ text: String, to descriptor: Int32) -> Int32 {
    write(text.utf8, to: descriptor)
  }

  /// Waits until a descriptor takes more: another program may have set the terminal they share, or
  /// a pipe, to never let anybody wait.
  private static func awaitRoom(_ descriptor: Int32) {
    var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    _ = poll(&waiting, 1, -1)
  }

  /// Whether dim, bold and colours may be used: on a terminal that is not dumb, unless `NO_COLOR`
  /// is set to anything but nothing.
  package static func isStyled(isTerminal: Bool, environment: [String: String]) -> Bool {
    isTerminal && (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
  }
}
