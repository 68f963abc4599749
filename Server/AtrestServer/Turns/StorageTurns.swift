// SPDX-License-Identifier: Apache-2.0
// Decides which job storage does next: parties take turns, and within an account its devices. Pure.

import AtrestReplication

/// Jobs that wait, in the order in which they are fair.
struct StorageTurns: Sendable {
  /// A device's jobs, in the order in which they came.
  private struct Jobs {
    private var jobs: [QueuedJob?] = []
    private var first = 0

    var isEmpty: Bool { first == jobs.count }

    mutating func append(_ job: QueuedJob) { jobs.append(job) }

    /// Amortised O(1): what was taken out moves nothing until it is half of all.
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

  /// A party's jobs, by device.
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

    /// The device has had its turn.
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
  /// Those that have to wait for something else than their turn.
  private var heldBack: Set<Payer.Party> = []

  /// Whether nobody can have a turn now.
  var isEmpty: Bool { urgent.isEmpty && usual.isEmpty }

  /// Whether somebody waits for something else than a turn.
  var holdsAnyBack: Bool { !heldBack.isEmpty }

  /// Adds a job, behind its device's others.
  mutating func append(_ job: QueuedJob) {
    if job.payer.isUrgent {
      urgent.append(job, isHeldBack: false)
    } else {
      usual.append(job, isHeldBack: heldBack.contains(job.payer.party))
    }
  }

  /// Takes out the job whose turn it is. Whoever has it is charged before there is another.
  mutating func next(urgentFirst: Bool) -> QueuedJob? {
    if urgentFirst, let job = urgent.next() { return job }
    return usual.next() ?? urgent.next()
  }

  /// Charges what a job took, and puts its party back in line if it has more.
  mutating func charge(_ payer: Payer, _ nanoseconds: UInt64) {
    if payer.isUrgent {
      urgent.charge(payer, nanoseconds, isHeldBack: false)
    } else {
      usual.charge(payer, nanoseconds, isHeldBack: heldBack.contains(payer.party))
    }
  }

  /// Gives a party no turns, until `letGoOn`, but for what is urgent. Before it is charged for the
  /// job it had.
  mutating func holdBack(_ party: Payer.Party) { heldBack.insert(party) }

  /// A party has turns again.
  mutating func letGoOn(_ party: Payer.Party) {
    guard heldBack.remove(party) != nil else { return }
    usual.goOn(party)
  }

  /// All have turns again.
  mutating func letAllGoOn() {
    for party in heldBack { letGoOn(party) }
  }
}
