// SPDX-License-Identifier: Apache-2.0
// The fuzzers' findings and initial inputs as ordinary tests: every input once, and some mutations.

import AtrestFuzzing
import AtrestTestSupport
import Foundation
import Testing

@Suite("Inputs that fuzzers kept", .timeLimit(.minutes(20)))
struct CorpusTests {
  static let corpus = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("corpus")

  static func files(of target: FuzzTarget) throws -> [URL] {
    try FileManager.default.contentsOfDirectory(
      at: corpus.appendingPathComponent(target.name), includingPropertiesForKeys: nil
    ).sorted { $0.path < $1.path }
  }

  @Test("break no law", arguments: FuzzTarget.all.map(\.name))
  func replay(name: String) throws {
    let target = try #require(FuzzTarget.all.first { $0.name == name })
    for file in try Self.files(of: target) {
      let input = [UInt8](try Data(contentsOf: file))
      #expect(throws: Never.self, "\(file.path)") { try target.run(input) }
    }
  }

  @Test("are few and small", arguments: FuzzTarget.all.map(\.name))
  func size(name: String) throws {
    let target = try #require(FuzzTarget.all.first { $0.name == name })
    let files = try Self.files(of: target)
    #expect((1...200).contains(files.count))
    for file in files {
      let size = try Data(contentsOf: file).count
      #expect(size < 4096 + 1, "\(file.lastPathComponent)")
    }
  }

  @Test("have no neighbours that break one", arguments: FuzzTarget.all.map(\.name))
  func neighbours(name: String) throws {
    let target = try #require(FuzzTarget.all.first { $0.name == name })
    let inputs = try Self.files(of: target).map { [UInt8](try Data(contentsOf: $0)) }
    try #require(!inputs.isEmpty)
    checkLaw(cases: 200) { random in
      var input = inputs[Int.random(in: 0..<inputs.count, using: &random)]
      for _ in 0..<3 where !input.isEmpty {
        let place = Int.random(in: 0..<input.count, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: input[place] = UInt8.random(in: 0...255, using: &random)
        case 1: input.remove(at: place)
        default: input.insert(UInt8.random(in: 0...255, using: &random), at: place)
        }
      }
      do { try target.run(input) } catch {
        Issue.record("\(error)")
        return false
      }
      return true
    }
  }

  @Test("seeds break no law", arguments: FuzzTarget.all.map(\.name))
  func seeds(name: String) throws {
    let target = try #require(FuzzTarget.all.first { $0.name == name })
    for seed in try target.seeds() {
      #expect(throws: Never.self, "\(seed.name)") { try target.run(seed.input) }
    }
  }
}
