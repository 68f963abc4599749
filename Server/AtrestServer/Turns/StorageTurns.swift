// SPDX-License-Identifier: Apache-2.0
// Decides which storage job runs next: parties take turns, and so do the devices of an account.
// Pure.

import AtrestReplication

/// The waiting jobs in fair order.
struct StorageTurns: Sendable {
  /// The jobs of one device, in arrival order.
  private struct Jobs {
    private var jobs: [QueuedJob?] = []
    private var first = 0

    var isEmpty: Bool { first == jobs.count }

    mutating func append(_ job: QueuedJob) { jobs.append(job) }

    /// Amortised O(1): removed slots are compacted once they make up half of the array.
    mutating func removeFirst() -> QueuedJob? {
      guard first < jobs.count else { return nil }
      defer {
        jobs[first] = nil
        first += 1
        if 2 * first > jobs.count {
          jobs.removeFirst(first)
          first = 0
        }
      }
      return jobs[first]
    }
  }

  /// The jobs of one party, by device.
  private struct Line {
    private var devices = FairShares<ReplicaID?>()
    private var jobs: [ReplicaID?: Jobs] = [:]

    var isEmpty: Bool { jobs.isEmpty }

    mutating func append(_ job: QueuedJob) {
      jobs[job.payer.device, default: Jobs()].append(job)
      devices.wait(job.payer.device)
    }

    mutating func next() -> QueuedJob? {
      guard let device = devices.next() else { return nil }
      let job = jobs[device]?.removeFirst()
      if jobs[device]?.isEmpty ?? false { jobs[device] = nil }
      return job
    }

    /// Charges the device for its turn.
    mutating func charge(_ device: ReplicaID?, _ nanoseconds: UInt64) {
      devices.charge(device, nanoseconds)
      if jobs[device] != nil { devices.wait(device) }
    }
  }

  private struct Lane {
    private var parties = FairShares<Payer.Party>()
    private var lines: [Payer.Party: Line] = [:]

    var isEmpty: Bool { parties.isEmpty }

    mutating func append(_ job: QueuedJob, isHeldBack: Bool) {
      lines[job.payer.party, default: Line()].append(job)
      if !isHeldBack { parties.wait(job.payer.party) }
    }

    mutating func next() -> QueuedJob? {
      parties.next().flatMap { lines[$0]?.next() }
    }

    mutating func charge(_ payer: Payer, _ nanoseconds: UInt64, isHeldBack: Bool) {
      parties.charge(payer.party, nanoseconds)
      lines[payer.party]?.charge(payer.device, nanoseconds)
      goOn(payer.party, isHeldBack: isHeldBack)
    }

    mutating func goOn(_ party: Payer.Party, isHeldBack: Bool = false) {
      guard let line = lines[party] else { return }
      if line.isEmpty { lines[party] = nil } else if !isHeldBack { parties.wait(party) }
    }
  }

  private var urgent = Lane()
  private var usual = Lane()
  /// Parties that are paused because of responses in transit.
  private var heldBack: Set<Payer.Party> = []

  /// Whether no job can run now.
  var isEmpty: Bool { urgent.isEmpty && usual.isEmpty }

  /// Whether a party is paused.
  var holdsAnyBack: Bool { !heldBack.isEmpty }

  /// Appends a job behind the others of its device.
  mutating func append(_ job: QueuedJob) {
    if job.payer.isUrgent {
      urgent.append(job, isHeldBack: false)
    } else {
      usual.append(job, isHeldBack: heldBack.contains(job.payer.party))
    }
  }

  /// Takes the job whose turn it is. Charge it before the next call.
  mutating func next(urgentFirst: Bool) -> QueuedJob? {
    if urgentFirst, let job = urgent.next() { return job }
    return usual.next() ?? urgent.next()
  }

  /// Charges a job's cost and requeues its party if it has more jobs.
  mutating func charge(_ payer: Payer, _ nanoseconds: UInt64) {
    if payer.isUrgent {
      urgent.charge(payer, nanoseconds, isHeldBack: false)
    } else {
      usual.charge(payer, nanoseconds, isHeldBack: heldBack.contains(payer.party))
    }
  }

  /// Pauses a party until `letGoOn`, except for urgent jobs. Call it before charging the party's
  /// current job.
  mutating func holdBack(_ party: Payer.Party) { heldBack.insert(party) }

  /// Resumes a party.
  mutating func letGoOn(_ party: Payer.Party) {
    guard heldBack.remove(party) != nil else { return }
    usual.goOn(party)
  }

  /// Resumes all parties.
  mutating func letAllGoOn() {
    for party in heldBack { letGoOn(party) }
  }
}
