// SPDX-License-Identifier: Apache-2.0
// What people call the devices of their account.

import AtrestCommandLine
import AtrestDomain
import AtrestReplication

/// The names of the account's devices.
struct DeviceNames {
  /// This device; `ReplicaID.none` before pairing.
  let own: ReplicaID
  /// The names as of the last `devices()` call.
  let names: [ReplicaID: String]

  /// A device's name: `phone`, `this device`, or `device 0123456789abcdef`.
  func words(_ replica: ReplicaID) -> String {
    if let name = names[replica] {
      let name = name.escapedForTerminal
      return replica == own
        ? Language.text("\(name) (this device)", de: "\(name) (dieses Gerät)") : name
    }
    let id = ShortID.hex(replica.rawValue)
    return replica == own
      ? Language.text("this device", de: "dieses Gerät")
      : Language.text("device \(id)", de: "Gerät \(id)")
  }
}
