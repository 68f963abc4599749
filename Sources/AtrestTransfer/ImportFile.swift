// SPDX-License-Identifier: Apache-2.0
// The parsed contents of a file in a form common to all formats.

import AtrestDomain
import AtrestReplication
import AtrestWire

/// A parsed and validated file.
public struct ImportFile: Hashable, Sendable {
  /// The supported formats.
  public enum Format: String, Hashable, Sendable, CaseIterable {
    /// The native format: JSON lines, complete.
    case atrest
    /// The iOS app's export.
    case iosExport = "ios_export"
    /// The iOS app's `session-state.json`.
    case iosSessionState = "ios_session_state"
    /// The iOS app's `water-log.json`.
    case iosWaterLog = "ios_water_log"
    /// Another app's file of separated values.
    case csv
    /// Another app's JSON.
    case otherJSON = "json"
  }

  /// The file's format.
  public let format: Format
  /// The format's version; 1 if the file has none.
  public let version: Int
  /// When the file was made, according to itself.
  public let madeAt: WallTime?
  /// The records in file order, with unique keys.
  public private(set) var entries: [ImportEntry] = []
  /// The number of records per kind that this build cannot import and that have no entry: those
  /// without fields, those that break their kind's rules, and those without room for another stamp.
  public private(set) var leftOut: [RecordKind: Int] = [:]
  /// The active fast, which the app's state file stores separately.
  public package(set) var active: SavedActiveFast?

  private var places: [RecordKey: Int] = [:]

  package init(format: Format, version: Int, madeAt: WallTime?) {
    self.format = format
    self.version = version
    self.madeAt = madeAt
  }

  /// Adds an entry. Equal duplicates count once; a duplicate with different values throws.
  package mutating func add(_ entry: ImportEntry) throws(PortabilityError) {
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

  /// Counts a record that cannot be imported.
  package mutating func leaveOut(_ kind: RecordKind) {
    leftOut[kind, default: 0] += 1
  }

  /// The range of all times in the file; nil if there are none.
  public var instants: ClosedRange<WallTime>? {
    var range: ClosedRange<WallTime>?
    for next in entries.lazy.compactMap({ $0.instants }) {
      range = range.map {
        min($0.lowerBound, next.lowerBound)...max($0.upperBound, next.upperBound)
      }
      range = range ?? next
    }
    return range
  }

  /// The number of entries of a kind.
  public func count(_ kind: RecordKind) -> Int {
    entries.lazy.filter { $0.key.kind == kind }.count
  }

  /// Checks that no time is in the future. Applies to the iOS app's files only: a native export
  /// contains what the devices' clocks said and must always be restorable.
  ///
  /// - Throws: `PortabilityError.impossible` with the first entry in the future.
  public func check(now: WallTime) throws(PortabilityError) {
    guard format != .atrest else { return }
    func check(_ time: WallTime, _ place: ImportPlace) throws(PortabilityError) {
      guard time.milliseconds(since: now) <= TypedRules.futureSlackMilliseconds else {
        throw .impossible(place, .inTheFuture)
      }
    }
    for entry in entries {
      if let last = entry.instants?.upperBound { try check(last, entry.place) }
    }
    if let active { try check(active.start, .active) }
  }
}

/// A record to import.
public struct ImportEntry: Hashable, Sendable {
  /// A field of the record.
  public struct Value: Hashable, Sendable {
    /// The field's number in the kind's message.
    public let field: FieldNumber
    /// The value as the kind's message encodes it.
    public let bytes: [UInt8]
    /// When and where it was written, if the file has stamps.
    public let stamp: Stamp?

    package init(_ field: FieldNumber, _ bytes: [UInt8], stamp: Stamp? = nil) {
      self.field = field
      self.bytes = bytes
      self.stamp = stamp
    }
  }

  /// The position in the file, for errors.
  public let place: ImportPlace
  /// The record's key.
  public let key: RecordKey
  /// The fields, ascending, without `deleted` and `prune_floor`.
  public let values: [Value]
  /// The stamp of the last action, which was not a deletion; nil if the file has none.
  public let acted: Stamp?
  /// The range of the record's times.
  public let instants: ClosedRange<WallTime>?
  /// The fast, if the file's times are in whole seconds.
  package let roughSession: Session?

  package init(
    place: ImportPlace, key: RecordKey, values: [Value], acted: Stamp? = nil,
    instants: ClosedRange<WallTime>? = nil, roughSession: Session? = nil
  ) {
    self.place = place
    self.key = key
    self.values = values
    self.acted = acted
    self.instants = instants
    self.roughSession = roughSession
  }

  /// Validates a fast from the iOS app.
  package static func session(
    id: RecordUUID, start: WallTime, end: WallTime, targetHours: Double?, place: ImportPlace
  ) throws(PortabilityError) -> ImportEntry {
    guard start.milliseconds > 0 else { throw .impossible(place, .longAgo) }
    guard let span = Session.Span(start: start, end: end, outcome: .completed) else {
      throw .impossible(place, .endBeforeStart)
    }
    let target = try targetMinutes(targetHours, place)
    let session = Session(id: id, span: span, targetMinutes: target)
    do throws(InputProblem) { try TypedRules.check(lengthOf: session) } catch {
      throw .impossible(place, error)
    }
    return ImportEntry(
      place: place, key: RecordKey(kind: .session, id: id.bytes),
      values: [
        Value(SessionField.span, SessionField.encode(span)),
        Value(SessionField.target, SessionField.encode(targetMinutes: target)),
      ], instants: start...end, roughSession: session)
  }

  /// Absent or 0 means 16 hours, as in the app; a target out of range is rejected.
  private static func targetMinutes(
    _ hours: Double?, _ place: ImportPlace
  ) throws(PortabilityError) -> Int {
    guard let hours, hours != 0 else { return Session.defaultTargetMinutes }
    guard hours > 0, hours <= 10_000 else { throw .impossible(place, .targetOutOfRange) }
    let minutes = Int((hours * 60).rounded())
    do throws(InputProblem) { try TypedRules.check(targetMinutes: minutes) } catch {
      throw .impossible(place, error)
    }
    return minutes
  }

  /// Validates a drink from the iOS app.
  package static func water(
    id: RecordUUID, at: WallTime, millilitres: Int, place: ImportPlace
  ) throws(PortabilityError) -> ImportEntry {
    guard at.milliseconds > 0 else { throw .impossible(place, .longAgo) }
    do throws(InputProblem) { try TypedRules.check(millilitres: millilitres) } catch {
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
