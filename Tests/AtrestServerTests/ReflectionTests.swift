// SPDX-License-Identifier: Apache-2.0
// The descriptors that reflection tells are complete, and those of what is served.

import Testing

@testable import AtrestServer

@Suite("Reflection", .timeLimit(.minutes(20)))
struct ReflectionTests {
  @Test("every import is there, every descriptor can be read, and no name is declared twice")
  func complete() {
    let files = Descriptors.files
    let names = Set(files.map(\.name))
    #expect(names.count == files.count)
    for file in files {
      #expect(Set(file.imports).isSubset(of: names), "\(file.name)")
      #expect(!file.descriptor.isEmpty, "\(file.name)")
    }
    let symbols = files.flatMap(\.symbols)
    #expect(Set(symbols).count == symbols.count)
  }

  @Test("what is described is what is served, and nothing of the owner's")
  func served() {
    let described = Set(Descriptors.files.flatMap(\.services))
    #expect(described == Set(Routes.publicServices + ReflectionService.names))
    #expect(!Descriptors.files.contains { $0.name.contains("admin") })
  }
}
