// SPDX-License-Identifier: Apache-2.0
// Runs the cases of the portable core and tells the host which fail.

import AtrestPortableCases

/// Runs every case.
///
/// - Returns: The number of cases, negative if one failed.
@_expose(wasm, "run") @_cdecl("run")
public func run() -> Int32 {
  let cases = PortableCase.all()
  let failed = cases.filter { $0.found != $0.expected }
  for item in failed {
    var text = "\(item.name): expected \(item.expected), found \(item.found)"
    text.withUTF8 { unsafe report($0.baseAddress, Int32($0.count)) }
  }
  return failed.isEmpty ? Int32(cases.count) : -Int32(failed.count)
}

/// Writes a line of UTF-8. The host's.
@_extern(wasm, module: "host", name: "report")
@_extern(c)
func report(_ text: UnsafePointer<UInt8>?, _ count: Int32)
