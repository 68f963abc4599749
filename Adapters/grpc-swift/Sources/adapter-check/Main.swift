// SPDX-License-Identifier: Apache-2.0
// Checks a replica on grpc-swift against a server and a replica on the transport of Linux. Prints a
// line for each check.
//
// `Adapters/grpc-swift/run` builds and runs it.

import AtrestClient
import Foundation

/// What a check found.
struct CheckFailure: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

@main
struct AdapterCheck {
  static func main() async {
    guard CommandLine.arguments.count == 3 else {
      print("Give the folder of the binaries and one for the data: see Adapters/grpc-swift/run.")
      exit(64)
    }
    let binary = URL(fileURLWithPath: CommandLine.arguments[1]).appending(path: "atrest-syncd")
    let data = URL(fileURLWithPath: CommandLine.arguments[2])
    do {
      let checks = try await Checks(binary: binary, data: data)
      try await checks.run()
    } catch let error as SyncError {
      print("failed: \(error.userMessage)")
      exit(1)
    } catch {
      print("failed: \(error)")
      exit(1)
    }
  }
}
