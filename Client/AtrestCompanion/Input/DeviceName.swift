// SPDX-License-Identifier: Apache-2.0
// Finds devices by typed ids, and checks typed names.

import AtrestClient
import AtrestCommandLine
import AtrestDomain
import AtrestWire

/// Finds devices by typed id and checks typed names.
enum DeviceName {
  /// Finds the device with an id prefix.
  static func find(_ typed: String, _ replica: Replica) async throws -> Device {
    try find(typed, in: await replica.devices())
  }

  static func find(_ typed: String, in devices: [Device]) throws(IDProblem) -> Device {
    try ShortID.find(
      typed, in: devices, noun: "device", id: { ShortID.hex($0.replica.rawValue) },
      describe: { $0.name.escapedForTerminal })
  }

  /// What a device can be called.
  static func checked(_ typed: String) throws(CommandFailure) -> String {
    let name = typed.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    guard (1...NameLimit.bytes).contains(name.utf8.count), name.isReadableName else {
      throw CommandFailure(
        Language.text(
          "A device's name has 1 to \(NameLimit.bytes) bytes of visible text. Choose another.",
          de: "Der Name eines Geräts hat 1 bis \(NameLimit.bytes) Byte sichtbaren Text. "
            + "Wähle einen anderen."),
        .usage)
    }
    return name
  }
}
