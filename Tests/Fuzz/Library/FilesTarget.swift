// SPDX-License-Identifier: Apache-2.0
// Fuzzes the small files that programs read: purchase settings, checksums, certificates and keys.

import AtrestClient
import AtrestEntitlements
import AtrestServer
import AtrestSync
import AtrestTLS
import Foundation

extension FuzzTarget {
  /// The first byte selects the file type of the rest.
  static let files = FuzzTarget(name: "files", limitBytes: 4096) { bytes in
    var input = Input(bytes)
    let kind = input.byte() % 5
    let content = input.remainder()
    switch kind {
    case 0:
      try withFile(content) { file in
        _ = try? EntitlementSettings.policy(at: file)
      }
      try checkSettings(content)
    case 1: try checkChecksum(content)
    case 2:
      try withFile(content) { file in
        _ = try? ClientTLS(.authority(file: file.path, name: "localhost"))
      }
    case 3:
      try withFile(content) { file in
        _ = try? ServerIdentity.load(certificateFile: file.path, keyFile: file.path)
        _ = try? ServerIdentity.loadOrMake(file: file.path)
        let after = try Data(contentsOf: file)
        try law([UInt8](after) == content, "a damaged identity stays as it is")
      }
    default: _ = try? TrustAnchors(certificatesDER: [content])
    }
  } seeds: {
    let identity = try ServerIdentity.generate()
    let pem = Array(identity.certificatePEM.utf8)
    let settings = #"{"bundle_id":"com.atrest.fasting","app_id":42,"environment":"sandbox"}"#
    let line = String(repeating: "0a", count: 32) + "  backup.db\n"
    return [
      ("settings", [0] + Array(settings.utf8)),
      ("settings-roots", [0] + Array(#"{"bundle_id":"a","roots":["a.der","../b.der"]}"#.utf8)),
      ("checksum", [1] + Array(line.utf8)),
      (
        "checksum-escaped",
        [1] + Array(("\\" + line.replacingOccurrences(of: ".", with: "\\n")).utf8)
      ),
      ("checksum-binary", [1] + Array(line.replacingOccurrences(of: "  ", with: " *").utf8)),
      ("authority", [2] + pem), ("identity", [3] + pem),
    ]
  }

  private static func withFile(_ content: [UInt8], _ body: (URL) throws -> Void) throws {
    let file = FileManager.default.temporaryDirectory
      .appendingPathComponent("atrest-fuzz-\(UUID().uuidString)")
    try Data(content).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
    try body(file)
  }

  private static func checkSettings(_ content: [UInt8]) throws {
    guard
      let settings = try? JSONDecoder().decode(EntitlementSettings.self, from: Data(content))
    else { return }
    let again = try JSONDecoder().decode(
      EntitlementSettings.self, from: JSONEncoder().encode(settings))
    try law(again == settings, "settings survive being written")
    // An arbitrary root is either a certificate or refused with a message.
    do throws(ReplicaError) {
      _ = try settings.policy { _ throws(ReplicaError) in content }
    } catch {
      try law(!error.userMessage.isEmpty, "what is wrong with settings has words")
    }
  }

  private static func checkChecksum(_ content: [UInt8]) throws {
    guard let checksum = BackupChecksum(line: content) else { return }
    try law(checksum.digits.utf8.count == 64, "a checksum has 64 digits")
    let again = BackupChecksum(line: checksum.line)
    try law(again == checksum, "a checksum survives being written")
  }
}
