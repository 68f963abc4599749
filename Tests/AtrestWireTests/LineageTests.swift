// SPDX-License-Identifier: Apache-2.0
// Device descent: for any rows, the query terminates and misses no descendant.

import AtrestDomain
import AtrestReplication
import AtrestWire
import Testing

@Suite("Lineage", .timeLimit(.minutes(20)))
struct LineageTests {
  private func id(_ number: UInt64) -> ReplicaID { ReplicaID(rawValue: number) }
  private func ids(_ numbers: UInt64...) -> Set<ReplicaID> { Set(numbers.map(id)) }
  private func invited(_ inviter: UInt64, _ approver: UInt64? = nil) -> DeviceOrigin {
    .invited(inviter: id(inviter), approver: approver.map(id))
  }

  @Test("codes, renewals and who let somebody in lead on, over any number of devices")
  func transitive() {
    let lineage = Lineage([
      (id(1), .owner), (id(2), invited(1)), (id(3), .renewed(from: id(2))),
      (id(4), invited(1, 3)), (id(5), invited(4, 4)), (id(6), .owner), (id(7), invited(6)),
    ])
    #expect(lineage.descendants(of: id(1)) == ids(2, 3, 4, 5))
    #expect(lineage.descendants(of: id(2)) == ids(3, 4, 5))
    #expect(lineage.descendants(of: id(5)).isEmpty)
    #expect(lineage.descendants(of: id(99)).isEmpty)
  }

  @Test("whoever is spared keeps those that descend through it only")
  func spared() {
    let lineage = Lineage([
      (id(1), .owner), (id(2), invited(1)), (id(3), invited(2)), (id(4), invited(2, 1)),
    ])
    #expect(lineage.descendants(of: id(1), sparing: id(2)) == ids(4))
    #expect(lineage.descendants(of: id(1), sparing: id(1)) == ids(2, 3, 4))
  }

  @Test("rows that make a circle do not keep it busy, and nobody descends from itself")
  func circle() {
    let lineage = Lineage([
      (id(1), invited(3, 1)), (id(2), invited(1)), (id(3), .renewed(from: id(2))),
      (id(4), invited(4)),
    ])
    #expect(lineage.descendants(of: id(1)) == ids(2, 3))
    #expect(lineage.descendants(of: id(4)).isEmpty)
  }

  @Test("a chain as long as an account can have is gone through without a stack")
  func long() {
    let chain = (1...50_000 as ClosedRange<UInt64>).map { ($0, $0 - 1) }
    let lineage = Lineage(
      chain.map { (id($0), $1 == 0 ? DeviceOrigin.owner : .renewed(from: id($1))) })
    #expect(lineage.descendants(of: id(1)).count == 49_999)
  }

  @Test("an origin is what its parts say; an approver alone counts as a parent")
  func parts() {
    for origin in [
      DeviceOrigin.owner, invited(1), invited(1, 1), invited(1, 2), .renewed(from: id(1)),
    ] {
      #expect(
        DeviceOrigin(
          parent: origin.parent, approver: origin.approver, isRenewed: origin.isRenewed) == origin)
    }
    #expect(DeviceOrigin(parent: nil, approver: id(2), isRenewed: false) == invited(2, 2))
    #expect(DeviceOrigin(parent: nil, approver: nil, isRenewed: true) == .owner)
  }
}
