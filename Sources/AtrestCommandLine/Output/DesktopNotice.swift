// SPDX-License-Identifier: Apache-2.0
// How a person at a desktop or a terminal is told something once: by the desktop, by the terminal,
// or with its bell.

import Foundation

/// A notice that somebody asked for.
public enum DesktopNotice {
  /// The way to give one.
  enum Way: Hashable, Sendable {
    /// The desktop's program at a path.
    case desktop(path: String)
    /// `OSC 9`, which iTerm2, WezTerm, kitty, Ghostty and Windows Terminal show.
    case osc9
    /// `OSC 777`, which foot, urxvt and terminals on VTE show.
    case osc777
    /// The bell. A multiplexer passes it on, and not the sequences.
    case bell
  }

  /// Chooses the way.
  ///
  /// - Parameter isExecutable: Whether there is a program at a path.
  static func way(
    environment: [String: String], isExecutable: (String) -> Bool
  ) -> Way {
    let hasDesktop = ["DISPLAY", "WAYLAND_DISPLAY"].contains { environment[$0]?.isEmpty == false }
    if hasDesktop {
      let paths = (environment["PATH"] ?? "").split(separator: ":").map { "\($0)/notify-send" }
      if let path = paths.first(where: { $0.hasPrefix("/") && isExecutable($0) }) {
        return .desktop(path: path)
      }
    }
    if environment["TMUX"] != nil || environment["STY"] != nil { return .bell }
    let (term, program) = (environment["TERM"] ?? "", environment["TERM_PROGRAM"] ?? "")
    if environment["VTE_VERSION"] != nil || term.hasPrefix("foot") || term.hasPrefix("rxvt") {
      return .osc777
    }
    let knowsNine =
      environment["WT_SESSION"] != nil || ["iTerm.app", "WezTerm", "ghostty"].contains(program)
      || term == "xterm-kitty" || term == "xterm-ghostty"
    return knowsNine ? .osc9 : .bell
  }

  /// What a terminal is sent; nil where it is not the terminal that tells.
  static func sequence(_ way: Way, title: String, text: String) -> String? {
    switch way {
    case .desktop: nil
    case .osc9: "\u{1B}]9;\(text)\u{07}"
    case .osc777: "\u{1B}]777;notify;\(title);\(text)\u{07}"
    case .bell: "\u{07}"
    }
  }

  /// Gives a notice and returns at once. Where it cannot be given, nothing happens: it is a
  /// courtesy.
  ///
  /// - Parameters:
  ///   - title: The program's name, without semicolons.
  ///   - text: A sentence of our own, without control characters.
  public static func post(title: String, text: String) {
    let way = way(
      environment: ProcessInfo.processInfo.environment,
      isExecutable: FileManager.default.isExecutableFile)
    if let sequence = sequence(way, title: title, text: text) {
      _ = StandardStream.write(sequence, to: STDOUT_FILENO)
      return
    }
    guard case .desktop(let path) = way else { return }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = ["--app-name=\(title)", title, text]
    process.standardInput = FileHandle.nullDevice
    // Its output would be on the screen of the timer.
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try? process.run()
  }
}
