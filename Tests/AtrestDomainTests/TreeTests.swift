// SPDX-License-Identifier: Apache-2.0
// Which fasts leave a tree, which tree, and how it grows.

import AtrestDomain
import AtrestReplication
import AtrestTestSupport
import Foundation
import Testing

@Suite("Trees of fasts", .timeLimit(.minutes(20)))
struct TreeMappingTests {
  @Test(
    "under four hours there is none; at the target it is established; from 70 % on incomplete",
    arguments: [
      (3.9999, 4, nil), (3.9999, 2, nil), (4, 4, .established), (4, 2, .established),
      (16, 16, .established), (40, 16, .established), (15.9999, 16, .incomplete),
      (11.2, 16, .incomplete), (11.1999, 16, nil), (4, 5.7, .incomplete), (4, 5.8, nil),
      (16.8, 24, .incomplete), (16.79, 24, nil),
    ] as [(Double, Double, TreeState?)])
  func states(hours: Double, target: Double, expected: TreeState?) {
    #expect(TreeMapper.state(of: ended(1, hours: hours, targetHours: target)) == expected)
  }

  @Test("instants that were stored in milliseconds miss no target by a hair")
  func exact() throws {
    for offset in stride(from: 0, to: 5000, by: 1) {
      let start = WallTime(seconds: 1_795_267_800 + Double(offset) / 1000)
      let end = WallTime(seconds: 1_795_267_800 + 57_600 + Double(offset) / 1000)
      let seventy = WallTime(seconds: 1_795_267_800 + 40_320 + Double(offset) / 1000)
      for (end, expected) in [(end, TreeState.established), (seventy, .incomplete)] {
        let span = try #require(Session.Span(start: start, end: end, outcome: .completed))
        let session = Session(id: numbered(1), span: span, targetMinutes: 960)
        try #require(TreeMapper.state(of: session) == expected, "\(offset)")
      }
    }
  }

  @Test("one that was let go, or goes on, leaves none")
  func onlyCompleted() {
    #expect(TreeMapper.state(of: ended(1, hours: 20, outcome: .abandoned)) == nil)
    #expect(TreeMapper.state(of: fast(1, start: "2026-11-01T00:00:00Z")) == nil)
  }

  @Test("are counted oldest first, alike on every device")
  func order() {
    let same = [ended(3, hours: 16, ago: 5), ended(1, hours: 17, ago: 5)]
    let all = same + [ended(2, hours: 16, ago: 9), ended(4, hours: 5, ago: 1)]
    for sessions in [all, all.reversed()] {
      #expect(
        TreeMapper.trees(for: sessions).map(\.id) == [numbered(2), numbered(1), numbered(3)])
    }
  }

  @Test("spans that no clock can have measured trap nothing")
  func hostile() throws {
    for (start, end) in [(0, .max), (.min, .max)] as [(Int64, Int64)] {
      let span = try #require(
        Session.Span(
          start: WallTime(milliseconds: start), end: WallTime(milliseconds: end),
          outcome: .completed))
      for target in [Int.min, 0, 960, .max] {
        let session = Session(id: numbered(1), span: span, targetMinutes: target)
        #expect(TreeMapper.state(of: session) == .established)
      }
    }
  }
}

@Suite("A tree's form and colour", .timeLimit(.minutes(20)))
struct TreeCharacterTests {
  @Test(
    "follow from its id by a hash that never changes",
    arguments: [
      ("00000000-0000-0000-0000-000000000000", 0x8820_1fb9_60ff_6465, 3, 4),
      ("FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF", 0xd660_7508_f5a1_e855, 3, 0),
      ("E621E1F8-C36C-495A-93FC-0C247A3E6E5F", 0xdb5e_9644_f784_f521, 7, 2),
      ("3F2A0000-0000-0000-0000-000000000001", 0x9399_a5b6_bb26_f99f, 1, 0),
      ("3F2A0000-0000-0000-0000-000000000002", 0x9399_a6b6_bb26_fb52, 6, 3),
      ("9B2D7F64-52C1-4F0E-8A3B-1D6C0E5F7A90", 0x1710_f4fc_13aa_2685, 5, 0),
    ] as [(String, UInt64, Int, Int)])
  func golden(text: String, hash: UInt64, variant: Int, tone: Int) throws {
    let id = try #require(RecordUUID(uuidString: text))
    #expect(StableHash.hash(of: id) == hash)
    #expect(TreeCharacter(id: id) == TreeCharacter(variant: variant, tone: tone))
  }

  @Test("every form and every colour comes up about as often as any other")
  func even() {
    var variants = [Int](repeating: 0, count: 8)
    var tones = [Int](repeating: 0, count: 5)
    for number in 0..<4000 {
      let character = TreeCharacter(id: numbered(number))
      variants[character.variant] += 1
      tones[character.tone] += 1
    }
    #expect(variants.allSatisfy { (400...600).contains($0) }, "\(variants)")
    #expect(tones.allSatisfy { (650...950).contains($0) }, "\(tones)")
    #expect(TreeCharacter(variant: 8, tone: 0) == nil && TreeCharacter(variant: 0, tone: -1) == nil)
  }
}

@Suite("A tree that comes into being", .timeLimit(.minutes(20)))
struct MaterialisingTests {
  private let now = Moments.now

  @Test(
    "is elapsed over target, from 0.05 to 1",
    arguments: [
      (0, 960, 0.05), (-3600, 960, 0.05), (8 * 3600, 960, 0.5), (48 * 60, 960, 0.05),
      (16 * 3600, 960, 1), (90 * 3600, 960, 1), (3600, 0, 0.05), (3600, -1, 0.05),
    ] as [(Int64, Int, Double)])
  func progress(elapsed: Int64, target: Int, expected: Double) {
    let progress = MaterialisingProgress.value(
      elapsedMilliseconds: elapsed * 1000, targetMinutes: target)
    #expect(progress == expected)
  }

  @Test("shows nothing while idle, and is held at 1 when the fast is completed")
  func byStatus() {
    var machine = FastingMachine()
    #expect(MaterialisingProgress.value(of: machine.status, at: now) == 0)
    machine.start(id: numbered(1), at: now, targetMinutes: 960)
    let later = now.advanced(bySeconds: 4 * 3600)
    #expect(MaterialisingProgress.value(of: machine.status, at: later) == 0.25)
    var released = machine
    released.abandon(at: later)
    #expect(MaterialisingProgress.value(of: released.status, at: later) == 0)
    machine.complete(at: later)
    #expect(MaterialisingProgress.value(of: machine.status, at: later) == 1)
  }

  @Test("warms from grey to the light colour of its tone, and from 5 % to all there")
  func appearance() throws {
    for tone in 0..<5 {
      let character = try #require(TreeCharacter(variant: 2, tone: tone))
      let light = Palette.earthTones[tone].light
      let start = TreeAppearance(character: character, progress: 0, isIncomplete: false)
      #expect(start.fill == Palette.treeGrey && start.opacity == 0.05)
      let half = TreeAppearance(character: character, state: .materialising(progress: 0.5))
      #expect(half.opacity == 0.05 + 0.5 * 0.95)
      #expect(abs(half.fill.red - (0.55 + light.red) / 2) < 1e-12)
      let whole = TreeAppearance(character: character, state: .established)
      #expect(whole.fill.hex == light.hex && whole.opacity == 1 && whole.variant == 2)
      let incomplete = TreeAppearance(character: character, state: .incomplete)
      #expect(incomplete.fill == Palette.treeGrey)
      #expect(abs(incomplete.opacity - 0.335) < 1e-12)
    }
  }
}

@Suite("The timer's tree", .timeLimit(.minutes(20)))
struct TimerTreeTests {
  private let now = Moments.now

  private func active(hours: Double) -> FastingMachine.Status {
    var machine = FastingMachine()
    machine.start(
      id: numbered(1), at: now.advanced(bySeconds: -hours * 3600), targetMinutes: 960)
    return machine.status
  }

  @Test("materialises during a fast with premium and in the trial, and is absent without")
  func gate() {
    for entitlement in [Entitlement.premium, .trial, .unknown] {
      #expect(TimerTree(status: active(hours: 8), at: now, entitlement: entitlement) != nil)
    }
    #expect(TimerTree(status: active(hours: 8), at: now, entitlement: .free) == nil)
    #expect(TimerTree(status: .idle, at: now, entitlement: .premium) == nil)
    let gone = FastingMachine.Status.abandoned(ended(1, hours: 20, outcome: .abandoned))
    #expect(TimerTree(status: gone, at: now, entitlement: .premium) == nil)
  }

  @Test("is the tree that will stand in the forest")
  func sameTree() throws {
    let tree = try #require(TimerTree(status: active(hours: 8), at: now, entitlement: .trial))
    #expect(tree.appearance.variant == TreeCharacter(id: numbered(1)).variant)
    #expect(!tree.hasStar)
  }

  @Test("has a star once the fast is over and reached its target, and not before")
  func star() throws {
    let late = try #require(TimerTree(status: active(hours: 30), at: now, entitlement: .trial))
    #expect(late.appearance.opacity == 1 && !late.hasStar)
    let done = FastingMachine.Status.completed(ended(1, hours: 16))
    #expect(try #require(TimerTree(status: done, at: now, entitlement: .trial)).hasStar)
    let early = FastingMachine.Status.completed(ended(1, hours: 12))
    let grey = try #require(TimerTree(status: early, at: now, entitlement: .trial))
    #expect(!grey.hasStar && grey.appearance.fill == Palette.treeGrey)
    let short = FastingMachine.Status.completed(ended(1, hours: 5))
    #expect(TimerTree(status: short, at: now, entitlement: .trial) == nil)
  }

  @Test("stands in the lower part of the screen, its star at the top right")
  func place() {
    let place = TimerTree.Layout(screenWidth: 390, screenHeight: 844)
    #expect(abs(place.treeSize - 280.8) < 1e-9)
    #expect(place.treeX == 195)
    #expect(abs(place.treeY - (844 * 0.28 + 140.4)) < 1e-9)
    #expect(abs(place.starX - (195 + 280.8 * 0.38)) < 1e-9)
    #expect(abs(place.starY - (844 * 0.28 + 280.8 * 0.08)) < 1e-9)
  }
}
