// SPDX-License-Identifier: Apache-2.0
// Reads the web app's files: from the program itself, or from a folder that a build made.

import AtrestCommandLine
import AtrestCrypto
import AtrestDomain
import AtrestFiles
import AtrestHTTP2
import CAtrestWebApp

/// The web app as `Scripts/build-web` makes it: `assets.json`, and the files that it names.
struct WebBundle {
  /// One entry of the list.
  struct Asset: Equatable {
    /// Where a browser asks for it.
    let path: String
    /// The contents' SHA-256, in hexadecimal.
    let hash: String
    let contentType: String
    let isImmutable: Bool
    let forms: [Form]
  }

  /// The contents in one coding.
  struct Form: Equatable {
    let coding: WebFile.Coding
    /// Its name in the folder.
    let file: String
    /// Its SHA-256, in hexadecimal.
    let hash: String
  }

  static let listName = "assets.json"
  /// Maximum sizes in bytes: of the list, of one file, and of all together. An app has a tenth.
  static let listLimitBytes = 64 * 1024
  /// 14 for a file in two forms.
  static let listLimitValues = 4096
  static let fileLimitBytes = 8 * 1024 * 1024
  static let limitBytes = 16 * 1024 * 1024

  let files: [WebFile]

  /// Reads a folder, and checks each form against its hash: a stale list would make browsers keep
  /// the wrong file for a year.
  /// - Throws: `CommandFailure` that names the file.
  init(directory: String) throws {
    var left = Self.limitBytes
    func read(_ name: String, limitBytes: Int) throws -> [UInt8] {
      do throws(SmallFileProblem) {
        return try SmallFile.read(directory + "/" + name, limitBytes: limitBytes)
      } catch {
        throw Self.failure(directory, "\(name) cannot be read: \(error.reason).")
      }
    }
    guard let assets = Self.assets(try read(Self.listName, limitBytes: Self.listLimitBytes)) else {
      throw Self.failure(directory, "\(Self.listName) is no list of files.")
    }
    files = try assets.map { asset in
      let file = try WebFile(asset) { form in
        let bytes = try read(form.file, limitBytes: min(left, Self.fileLimitBytes))
        left -= bytes.count
        guard Self.hash(bytes) == form.hash else {
          throw Self.failure(directory, "\(form.file) is another one than \(Self.listName) lists.")
        }
        return bytes
      }
      guard let file, Self.hash(file.bytes) == asset.hash else {
        throw Self.failure(
          directory, "\(asset.path) has other contents than \(Self.listName) lists.")
      }
      return file
    }
  }

  /// Reads what was built into the program. Nil in a build without the web app.
  init?(embedded bytes: [UInt8]? = WebBundle.embeddedBytes) {
    guard var rest = bytes?[...], let list = Self.next(&rest), let assets = Self.assets(list) else {
      return nil
    }
    var files: [WebFile] = []
    for asset in assets {
      guard let file = WebFile(asset, { _ in Self.next(&rest) }) else { return nil }
      files.append(file)
    }
    self.files = files
  }

  /// A part with its length before it.
  private static func next(_ rest: inout ArraySlice<UInt8>) -> [UInt8]? {
    let length = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
    guard rest.count >= 4, rest.count - 4 >= length else { return nil }
    defer { rest = rest.dropFirst(4 + length) }
    return Array(rest.dropFirst(4).prefix(length))
  }

  /// Whether this build has the web app.
  static var isEmbedded: Bool {
    var length = 0
    return unsafe atrest_web_app(&length) != nil
  }

  /// The bytes in the program.
  static var embeddedBytes: [UInt8]? {
    var length = 0
    guard let start = unsafe atrest_web_app(&length) else { return nil }
    return unsafe Array(UnsafeBufferPointer(start: start, count: length))
  }

  /// The entries of a list. Nil unless all of them are what `Scripts/build-web` writes.
  static func assets(_ list: [UInt8]) -> [Asset]? {
    guard
      let entries = StrictJSON(list, valueLimit: listLimitValues)?.members?["assets"]?.elements
    else { return nil }
    let assets = entries.compactMap(Asset.init)
    return assets.count == entries.count ? assets : nil
  }

  static func hash(_ bytes: [UInt8]) -> String {
    SHA256.hash(bytes).map { byte in
      (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }.joined()
  }

  private static func failure(_ directory: String, _ reason: String) -> CommandFailure {
    CommandFailure(
      "--web \(directory.escapedForTerminal): \(reason.escapedForTerminal) Build the app again with Scripts/build-web.",
      .data)
  }
}

extension WebBundle.Asset {
  init?(_ json: StrictJSON) {
    guard let members = json.members, let path = members["path"]?.text,
      let hash = members["sha256"]?.text, let contentType = members["type"]?.text,
      let entries = members["forms"]?.elements
    else { return nil }
    let isImmutable = members["immutable"] == .bool(true)
    let forms = entries.compactMap(WebBundle.Form.init)
    guard path.hasPrefix("/"), path.isPrintable, contentType.isPrintable, hash.isHash,
      forms.count == entries.count, Set(forms.map(\.coding)).count == forms.count
    else { return nil }
    self.init(
      path: path, hash: hash, contentType: contentType, isImmutable: isImmutable, forms: forms)
  }
}

extension WebBundle.Form {
  init?(_ json: StrictJSON) {
    guard let members = json.members, let file = members["file"]?.text, file.isInside,
      let coding = members["coding"]?.text.flatMap(WebFile.Coding.init(rawValue:)),
      let hash = members["sha256"]?.text, hash.isHash
    else { return nil }
    self.init(coding: coding, file: file, hash: hash)
  }
}

extension String {
  fileprivate var isPrintable: Bool { utf8.allSatisfy { (0x20...0x7E).contains($0) } }

  /// Whether a name stays in its folder, and is no hidden file.
  fileprivate var isInside: Bool {
    isPrintable
      && split(separator: "/", omittingEmptySubsequences: false).allSatisfy {
        !$0.isEmpty && !$0.hasPrefix(".")
      }
  }

  fileprivate var isHash: Bool { utf8.count == 64 && allSatisfy(\.isHexDigit) }
}

extension WebFile {
  /// - Parameter read: The bytes of a form; nil if there are none.
  /// - Returns: Nil if a form is missing, or the contents are not to be had from the forms.
  fileprivate init?(
    _ asset: WebBundle.Asset, _ read: (WebBundle.Form) throws -> [UInt8]?
  ) rethrows {
    var forms: [Coding: [UInt8]] = [:]
    for form in asset.forms {
      guard let bytes = try read(form) else { return nil }
      forms[form.coding] = bytes
    }
    self.init(
      path: asset.path, contentType: asset.contentType, forms: forms,
      limitBytes: WebBundle.fileLimitBytes, tag: String(asset.hash.prefix(32)),
      isImmutable: asset.isImmutable)
  }
}
