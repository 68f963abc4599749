// SPDX-License-Identifier: Apache-2.0
// Pictures as files.

import ArgumentParser

/// Output of SVG pictures.
public enum PictureFile {
  /// Parses a size such as `390x844`: points across and down, 1 to 10,000 each way; nil for
  /// anything else.
  public static func size(_ text: String) -> (Double, Double)? {
    let parts = text.split(separator: "x", omittingEmptySubsequences: false)
    guard parts.count == 2, let width = Int(parts[0]), let height = Int(parts[1]),
      (1...10_000).contains(width), (1...10_000).contains(height)
    else { return nil }
    return (Double(width), Double(height))
  }

  /// Refuses options that only a picture has where none was asked for.
  ///
  /// - Throws: `ValidationError` of the parser.
  public static func check(svg: String?, size: String?, replacing: Bool) throws {
    if let size, self.size(size) == nil {
      throw ValidationError("`--size` is like 390x844: points across and down, up to 10000.")
    }
    guard svg == nil else { return }
    if size != nil { throw ValidationError("`--size` is for a picture: say `--svg FILE` with it.") }
    if replacing { throw ValidationError("`--force` is for a picture: say `--svg FILE` with it.") }
  }

  /// Writes a picture to standard output, for `-`, or to a file that only its owner can read,
  /// because it shows what somebody wrote.
  ///
  /// - Parameter replacing: Whether an existing file may be replaced.
  /// - Throws: `CommandFailure`; `EncodingError` if `row` has no JSON.
  public static func write<Row: Encodable>(
    _ svg: String, to path: String, replacing: Bool, _ format: FormatOptions,
    _ row: @autoclosure () throws -> Row
  ) throws {
    if path == "-" {
      Terminal.write(Array("\(svg)\n".utf8))
      return
    }
    let file = try ExportFile(path, replacing: replacing, hint: "say `--force`")
    try file.write(svg)
    try file.finish()
    try format.answer(row(), "The picture is in \(path.escapedForTerminal).")
  }
}
