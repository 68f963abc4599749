// SPDX-License-Identifier: Apache-2.0
// The small law: whatever few actions do to two devices, one record and a server, every promise is
// kept. That the search sees what it must, Tests/Mutation/simulator checks.

import Testing

@testable import AtrestSimulation

@Suite("The small law", .timeLimit(.minutes(20)))
struct SmallLawTests {
  /// The depth that a debug build reaches in seconds. `make soak` and `make law` go deeper.
  static let depths: [(SmallAlphabet, Int)] = [
    (.all, 2), (.copies, 2),
  ]

  @Test("every promise is kept on every path", arguments: depths)
  func law(alphabet: SmallAlphabet, depth: Int) throws {
    var law = try SmallLaw(alphabet.actions)
    for _ in 0...depth { try law.deepen() }
    print("\(alphabet), \(depth) actions: \(law.states) states")
    for find in law.finds { Issue.record("\(find.text)") }
  }

  // MARK: Equal states

  private func state(_ start: SmallWorld.Start, _ path: [SmallAction]) throws -> String {
    let small = SmallWorld(start)
    defer { small.world.finish() }
    small.perform(path)
    return try small.state()
  }

  @Test("time that goes by changes no state")
  func waiting() throws {
    let start = try SmallWorld.start()
    let path: [SmallAction] = [.writeTargetA, .syncUnheardA, .deleteB]
    let small = SmallWorld(start)
    defer { small.world.finish() }
    for action in path {
      small.wait(seconds: 3)
      small.perform(action)
    }
    small.wait(seconds: 3)
    #expect(try small.state() == state(start, path))
  }

  @Test("what does nothing leads to no new state")
  func idleness() throws {
    let start = try SmallWorld.start()
    let deleted = try state(start, [.deleteA])
    #expect(try state(start, [.deleteA, .deleteA]) == deleted)
    #expect(try state(start, [.deleteA, .syncC]) == deleted)
    #expect(try state(start, [.deleteA, .turnClockA, .turnClockA]) == deleted)
  }

  @Test("every action that does something leads to a state of its own")
  func difference() throws {
    let start = try SmallWorld.start()
    let paths: [[SmallAction]] = [
      [], [.writeTargetA], [.writeSpanA], [.writeTargetB], [.deleteA],
      [.writeTargetA, .writeTargetA],
      [.writeTargetA, .syncA], [.writeTargetA, .syncUnheardA], [.writeTargetA, .backUpA],
      [.writeTargetA, .cloneA], [.cloneA, .writeTargetA], [.cloneA, .writeTargetC],
      [.writeTargetA, .syncA, .backUpServer], [.writeTargetA, .syncA, .putBackServer],
      [.serverClockForward], [.serverClockBack], [.turnClockA], [.turnClockA, .writeTargetA],
    ]
    let states = try paths.map { try state(start, $0) }
    #expect(Set(states).count == states.count)
  }

  /// The text is complete: states with equal texts behave equally.
  @Test(
    "what is done in equal states leads to equal states",
    arguments: [SmallAlphabet.edits])
  func merging(alphabet: SmallAlphabet) throws {
    let start = try SmallWorld.start()
    var first: [String: [SmallAction]] = [try state(start, []): []]
    var pairs: [([SmallAction], [SmallAction])] = []
    for one in alphabet.actions {
      for other in alphabet.actions {
        for path in [[one], [one, other]] where !first.values.contains(path) {
          let state = try state(start, path)
          if let known = first[state] { pairs.append((known, path)) } else { first[state] = path }
        }
      }
    }
    #expect(!pairs.isEmpty)
    // Some pairs, each with one action.
    for (index, (known, path)) in pairs.enumerated() where index.isMultiple(of: 4) {
      let action = alphabet.actions[index % alphabet.actions.count]
      #expect(try state(start, known + [action]) == state(start, path + [action]))
    }
  }
}
