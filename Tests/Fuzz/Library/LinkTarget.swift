// SPDX-License-Identifier: Apache-2.0
// Fuzzes what people paste and type: pairing links, addresses, times, lengths, amounts.

import AtrestClient
import AtrestDomain
import AtrestFoundation
import AtrestReplication
import AtrestSockets
import AtrestTrust
import Foundation

extension FuzzTarget {
  /// Text. Whatever parses can be formatted and parses back to the same value.
  static let link = FuzzTarget(name: "link", limitBytes: 600) { bytes in
    let text = String(decoding: bytes, as: UTF8.self)
    if let link = try? PairingLink(parsing: text) {
      try law(try PairingLink(parsing: link.text) == link, "a link survives being passed on")
      try law(link.code.utf8.count == 13, "a code has 13 characters")
    }
    if let server = try? ServerAddress(parsing: text) {
      try law(try ServerAddress(parsing: server.text) == server, "an address survives being kept")
      try law(server.text.utf8.allSatisfy { (0x21...0x7E).contains($0) }, "an address is plain")
    }
    if let endpoint = try? Endpoint(parsing: text) {
      let again = try Endpoint(parsing: written(endpoint))
      try law(again == endpoint, "an endpoint survives being written")
      try law(!endpoint.authority.isEmpty, "an endpoint has an authority")
    }
    if let fingerprint = CertificateFingerprint(parsing: text) {
      let again = CertificateFingerprint(parsing: "\(fingerprint)")
      try law(again == fingerprint, "a fingerprint survives being written")
    }
    try checkTyped(text)
  } seeds: {
    let pin = String(repeating: "0a", count: 32)
    let texts = [
      "atrest://127.0.0.1:7443/BCDF-GHJKLMNP", "atrest://[::1]:7443/BCDF-GHJKLMNP",
      "atrest://sync.example.org:443/ca/bcdf-ghjklmnp",
      " ATREST://localhost:1/\(pin)/BCDF-GHJKLMNP\n", "127.0.0.1:7443/\(pin)", "[::1]:0",
      "localhost:443/ca", "/run/atrest.sock", "unix:/a", "name.example:65535", pin, "now", "2h ago",
      "22:30", "yesterday 22:30", "today 7:05", "2026-11-21 22:30", "2026-11-21T20:30:00.250Z",
      "2026-11-21T22:30+02:00", "16h30m", "90m", "250ml", "0.5l", "8 oz", "1.2345678 fl oz",
    ]
    return texts.enumerated().map { (name: "text-\($0)", input: Array($1.utf8)) }
  }

  private static func written(_ endpoint: Endpoint) -> String {
    switch endpoint {
    case .address(.unix(let path)): "unix:\(path)"
    case .address(let address): address.description
    case .host(let name, let port): "\(name):\(port)"
    }
  }

  private static let now = WallTime(milliseconds: 1_780_990_000_000)

  private static func checkTyped(_ text: String) throws {
    for name in ["UTC", "Europe/Berlin", "America/St_Johns"] {
      guard let zone = TimeZone(identifier: name).map(ZoneOffsets.init) else { continue }
      if let date = try? Typed.time(text, now: now, in: zone) {
        let iso = TimeText.iso(date)
        try law(!iso.isEmpty, "a time can be written")
        let again = try Typed.time(iso, now: now, in: zone)
        try law(again == date, "a time survives being written")
      }
    }
    if let minutes = try? Typed.minutes(text) {
      try law(minutes >= 0, "a length is not negative")
      let again = try Typed.minutes(DurationText.text(minutes: minutes))
      try law(again == minutes, "a length survives being written")
    }
    if let amount = try? Typed.millilitres(text) {
      try law(amount >= 0, "an amount is not negative")
      try law(
        amount >= 1_000_000 || (try Typed.millilitres("\(amount)")) == amount,
        "an amount survives being written")
    }
  }
}
