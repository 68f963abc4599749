// SPDX-License-Identifier: Apache-2.0
// What a file says, once it is read: records to be, in one form, whichever format it had.

import AtrestDomain
import AtrestProtocol
import AtrestReplication
import Foundation

/// A file that was read and checked.
public struct ImportFile: Hashable, Sendable {
  /// The formats that are read.
  public enum Format: String, Hashable, Sendable, CaseIterable {
    /// Our own, complete one: JSON lines.
    case atrest
    /// The iOS app's export.
    case iosExport = "ios_export"
    /// The iOS app's `session-state.json`.
    case iosSessionState = "ios_session_state"
    /// The iOS app's `water-log.json`.
    case iosWaterLog = "ios_water_log"
  }

  /// Which it is.
  public let format: Format
  /// The format's version; 1 for files that do not say.
  public let version: Int
  /// When it was made, as it says.
  public let madeAt: Date?
  /// The records, in the file's order; no two have one key.
  public private(set) var entries: [ImportEntry] = []
  /// By kind, how many records cannot be brought in by this build, and are no entries: those
  /// without any field, against the rules that it knows of their kind, or with no room for another
  /// stamp.
  public private(set) var leftOut: [RecordKind: Int] = [:]
  /// The fast that was going on: the app's state file has it apart.
  public internal(set) var active: SavedActiveFast?

  private var places: [RecordKey: Int] = [:]

  init(format: Format, version: Int, madeAt: Date?) {
    self.format = format
    self.version = version
    self.madeAt = madeAt
  }

  /// Takes an entry. Equal ones count once.
  mutating func add(_ entry: ImportEntry) throws(PortabilityError) {
    guard entries.count < Portability.Limits.entries else {
      throw .tooManyEntries(limit: Portability.Limits.entries)
    }
    if let known = places.updateValue(entries.count, forKey: entry.key) {
      places[entry.key] = known
      guard entries[known].values == entry.values else { throw .contradiction(entry.place) }
    } else {
      entries.append(entry)
    }
  }

  /// Notes a record that cannot be brought in.
  mutating func leaveOut(_ kind: RecordKind) {
    leftOut[kind, default: 0] += 1
  }

  /// The earliest and the latest of all starts, ends and times; nil if there is none.
  public var instants: ClosedRange<Date>? {
    var range: ClosedRange<Date>?
    for next in entries.lazy.compactMap(\.instants) {
      range = range.map {
        min($0.lowerBound, next.lowerBound)...max($0.upperBound, next.upperBound)
      }
      range = range ?? next
    }
    return range
  }

  /// How many entries a kind has.
  public func count(_ kind: RecordKind) -> Int {
    entries.lazy.filter { $0.key.kind == kind }.count
  }

  /// Checks what only a clock can tell. Only the iOS app's files: a replica of our own holds what
  /// its devices' clocks said, and its export must come back whatever they said.
  ///
  /// - Throws: `PortabilityError.impossible` with the first entry that lies in the future.
  public func check(now: Date) throws(PortabilityError) {
    guard format != .atrest else { return }
    func check(_ time: Date, _ place: ImportPlace) throws(PortabilityError) {
      guard time.timeIntervalSince(now) <= TypedRules.futureSlack else {
        throw .impossible(place, .inTheFuture)
      }
    }
    for entry in entries {
      if let last = entry.instants?.upperBound { try check(last, entry.place) }
    }
    if let active { try check(active.start, .active) }
  }
}

/// A record to be.
public struct ImportEntry: Hashable, Sendable {
  /// A field of it.
  public struct Value: Hashable, Sendable {
    /// Which field of the kind's message.
    public let field: FieldNumber
    /// As the kind's message encodes it.
    public let bytes: [UInt8]
    /// When and where it was written, if the file says.
    public let stamp: Stamp?

    init(_ field: FieldNumber, _ bytes: [UInt8], stamp: Stamp? = nil) {
      self.field = field
      self.bytes = bytes
      self.stamp = stamp
    }
  }

  /// Where it stands.
  public let place: ImportPlace
  /// What it is about.
  public let key: RecordKey
  /// Its fields, ascending; neither the deletion nor the prune floor is among them.
  public let values: [Value]
  /// The last action on the record, if the file says: it was not a deletion.
  public let acted: Stamp?
  /// The first and the last time in it.
  public let instants: ClosedRange<Date>?
  /// The fast, of a file that knows times only to the second.
  let roughSession: Session?

  init(
    place: ImportPlace, key: RecordKey, values: [Value], acted: Stamp? = nil,
    instants: ClosedRange<Date>? = nil, roughSession: Session? = nil
  ) {
    self.place = place
    self.key = key
    self.values = values
    self.acted = acted
    self.instants = instants
    self.roughSession = roughSession
  }

  /// A fast of the iOS app's, within the rules.
  static func session(
    id: UUID, start: Date, end: Date, targetHours: Double?, place: ImportPlace
  ) throws(PortabilityError) -> ImportEntry {
    guard start.timeIntervalSince1970 > 0 else { throw .impossible(place, .longAgo) }
    guard let span = Session.Span(start: start, end: end, outcome: .completed) else {
      throw .impossible(place, .endBeforeStart)
    }
    let target = try targetMinutes(targetHours, place)
    let session = Session(id: id, span: span, targetMinutes: target)
    do { try TypedRules.check(lengthOf: session) } catch { throw .impossible(place, error) }
    return ImportEntry(
      place: place, key: RecordKey(kind: .session, id: id.bytes),
      values: [
        Value(SessionField.span, SessionField.encode(span)),
        Value(SessionField.target, SessionField.encode(targetMinutes: target)),
      ], instants: start...end, roughSession: session)
  }

  /// What the app reads as no target, an absent one or 0, is 16 hours, as it is there; what nobody
  /// can mean is refused.
  private static func targetMinutes(
    _ hours: Double?, _ place: ImportPlace
  ) throws(PortabilityError) -> Int {
    guard let hours, hours != 0 else { return Session.defaultTargetMinutes }
    guard hours > 0, hours <= 10_000 else { throw .impossible(place, .targetOutOfRange) }
    let minutes = Int((hours * 60).rounded())
    do { try TypedRules.check(targetMinutes: minutes) } catch { throw .impossible(place, error) }
    return minutes
  }

  /// Something drunk, noted by the iOS app, within the rules.
  static func water(
    id: UUID, at: Date, millilitres: Int, place: ImportPlace
  ) throws(PortabilityError) -> ImportEntry {
    guard at.timeIntervalSince1970 > 0 else { throw .impossible(place, .longAgo) }
    do { try TypedRules.check(millilitres: millilitres) } catch {
      throw .impossible(place, error)
    }
    guard let intake = WaterEntry.Intake(at: at, millilitres: millilitres) else {
      throw .impossible(place, .amountOutOfRange)
    }
    return ImportEntry(
      place: place, key: RecordKey(kind: .water, id: id.bytes),
      values: [Value(WaterField.intake, WaterField.encode(intake))], instants: at...at)
  }
}
