// SPDX-License-Identifier: Apache-2.0
// What a live view is, and the loop that drives one.

import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A view on the whole terminal that follows keys, time and the terminal's size.
public protocol LiveView: AnyObject {
  /// The rows of the screen, with escape sequences.
  var lines: [String] { get }
  /// How long to wait for a key before the next `tick`, in milliseconds.
  var pauseMilliseconds: Int { get }
  /// Whether the person left.
  var isOver: Bool { get }
  /// Keys were pressed; possibly none.
  func press(_ keys: [TerminalKey])
  /// Time passed. Called after each key, too.
  func tick()
  /// The terminal was resized, or the process continued after a stop.
  func resize()
}

extension TerminalSession {
  /// Shows a view until the person leaves or a signal ends the process. Call after `begin()`.
  public func run(_ view: some LiveView) {
    var keys = TerminalKeys()
    while !view.isOver {
      draw(view.lines)
      let milliseconds =
        keys.isUndecided ? TerminalKeys.escapeMilliseconds : view.pauseMilliseconds
      switch wait(milliseconds: milliseconds) {
      case .bytes(let bytes): view.press(keys.receive(bytes))
      case .signal(SIGTSTP):
        stop()
        view.resize()
      case .signal(SIGWINCH), .signal(SIGCONT): view.resize()
      case .signal(let number):
        die(of: number)
        return
      case .nothing: view.press(keys.settle())
      case .gone: return
      }
      view.tick()
    }
  }
}
