// SPDX-License-Identifier: Apache-2.0
// Addresses as owners write them, and as they must not.

import AtrestTestSupport
import Testing

@testable import AtrestPostgreSQL

@Suite(.timeLimit(.minutes(20))) struct AddressTests {
  private func hosts(_ text: String) throws -> [PostgresAddress.Host] {
    let address = try PostgresAddress(parsing: text)
    return address.hosts
  }

  @Test("hosts, ports and folders are read as libpq reads them")
  func reading() throws {
    typealias Host = PostgresAddress.Host
    #expect(
      try hosts("postgresql://a@db.example.org/x")
        == [Host(name: "db.example.org", port: 5432, address: nil)])
    #expect(
      try hosts("postgres://a@one:1,two:2/x")
        == [Host(name: "one", port: 1, address: nil), Host(name: "two", port: 2, address: nil)])
    #expect(
      try hosts("postgresql://[::1]:6000/x") == [Host(name: "::1", port: 6000, address: nil)])
    #expect(
      try hosts("postgresql:///x?host=/run/postgresql&port=6000")
        == [Host(name: "/run/postgresql", port: 6000, address: nil)])
    #expect(
      try hosts("postgresql://name/x?hostaddr=192.0.2.1")
        == [Host(name: "name", port: 5432, address: "192.0.2.1")])
  }

  @Test("an address shows where, and never the password", arguments: ["s3cret", "p%40%3As3cret"])
  func password(text: String) throws {
    let address = try PostgresAddress(
      parsing: "postgresql://me:\(text)@db:5433,[::1]/x?sslmode=require&sslpassword=s3cret")
    #expect(address.description == "postgresql://me@db:5433,[::1]:5432/x")
    var dumped = ""
    dump(address, to: &dumped)
    for shown in ["\(address)", String(reflecting: address), dumped, "\([address])"] {
      #expect(!shown.contains("s3cret"), "\(shown)")
    }
    #expect(address.parameters.contains { $0.keyword == "password" })
  }

  @Test(
    "what is not an address is refused, and nothing of it is repeated",
    arguments: [
      "", "s3cret", "sqlite:///s3cret", "host=db password=s3cret", "postgresql:/s3cret",
      "postgresql://me:s3cret@db:port/x", "postgresql://me:s3cret@db:0/x",
      "postgresql://me:s3cret@db:65536/x", "postgresql://me:s3cret@db:-1/x",
      "postgresql://me:s3cret@[::1/x", "postgresql://me:s3cret@db/x?nonsense=1",
      "postgresql://me:s3%cret@db/x", "postgresql://me:s3cret%00@db/x",
      "postgresql://me:s3cret\u{0}@db/x", "postgresql://me:s3cret@db/x\n",
      "postgresql://me:s3cret@db/x?service=other", "postgresql://me:s3cret@db/x?replication=true",
      "postgresql://me:s3cret@db/x?hostaddr=db.example.org", "postgresql://a:1,b:2,c/x?port=1,2",
      "postgresql://me:s3cret@" + Array(repeating: "db", count: 17).joined(separator: ",") + "/x",
      "postgresql://me:s3cret@db/" + String(repeating: "x", count: 4096),
    ])
  func refused(text: String) {
    do {
      let address = try PostgresAddress(parsing: text)
      Issue.record("accepted as \(address)")
    } catch {
      #expect(error.meaning == .refused)
      #expect(!error.userMessage.contains("s3cret") && !error.userMessage.contains("s3"))
      #expect(error.userMessage.contains("postgresql://user@host:5432/database"))
    }
  }

  @Test("any text is an address or is refused, and an address shows no password")
  func anyText() {
    let pieces = [
      "postgresql://", "postgres://", "me", ":", "s3cret", "@", "db", "127.0.0.1", "[::1]", ":5432",
      "/", "x", "?", "&", "host=", "port=", "password=s3cret", "=", "%", "%41", ",", "\u{0}", "é",
    ]
    checkLaw(cases: 5_000) { random in
      let text =
        "postgresql://"
        + (0..<Int.random(in: 0...10, using: &random))
        .map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
      guard let address = try? PostgresAddress(parsing: text) else { return true }
      // A text that has it elsewhere than as the password may show it.
      let isPassword = address.parameters.contains {
        $0.keyword == "password" && $0.value == "s3cret"
      }
      let isElsewhere =
        address.hosts.contains { $0.name.contains("s3cret") }
        || address.parameters.contains { $0.keyword != "password" && $0.value.contains("s3cret") }
      return !isPassword || isElsewhere || !address.description.contains("s3cret")
    }
  }
}
