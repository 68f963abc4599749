// SPDX-License-Identifier: Apache-2.0
// The real program as people and scripts run it: texts, exit codes, and no output noise in a pipe.

import AtrestClient
import AtrestDomain
import AtrestFoundation
import AtrestReplication
import AtrestTestSupport
import AtrestWire
import Foundation
import Testing

@Suite("The program", .timeLimit(.minutes(20)))
struct BinaryTests {
  private let atrest: Binary

  init() throws {
    atrest = try Binary()
  }

  private func id(_ answer: Binary.Answer) throws -> String {
    try #require((try answer.json() as? [String: Any])?["id"] as? String)
  }

  @Test("a first look makes nothing and says one kind sentence")
  func firstLook() throws {
    let answer = try atrest("status")
    #expect(answer.code == 0 && answer.err.isEmpty)
    #expect(answer.out.hasPrefix("Nothing is written here yet."))
    #expect(answer.out.split(separator: "\n").count == 1)
    #expect(!FileManager.default.fileExists(atPath: atrest.replica.path))
    for look in [
      "sync", "sessions", "conflicts", "devices", "invite", "unpair", "doctor", "account",
    ] {
      try atrest(look)
    }
    try atrest("water", "list")
    try atrest("replica", "dump")
    #expect(!FileManager.default.fileExists(atPath: atrest.replica.path))
  }

  @Test("a fast lives through its states, before any pairing")
  func fast() throws {
    let started = try atrest("fast", "start", "--at", "10h ago", "--target", "18h", "--json")
    #expect(started.code == 0)
    let id = try id(started)

    let early = try atrest("fast", "start", "--at", "500h ago")
    #expect(early.err == "That was more than 14 days ago. Give a later start.\n")

    let again = try atrest("fast", "start")
    #expect(again.code == 65 && again.out.isEmpty)
    #expect(again.err.hasPrefix("A fast is already going on."))

    let status = try atrest("status")
    #expect(status.out.contains("10h so far, target 18h; metabolic transition"))

    #expect(try atrest("fast", "complete", "--at", "11h ago").code == 65)
    #expect(try atrest("fast", "complete", "--at", "1h ago").out == "Ended early after 9h.\n")
    #expect(try atrest("fast", "complete").code == 65)

    let list = try #require(try atrest("sessions", "list", "--json").json() as? [[String: Any]])
    #expect(list.count == 1 && list[0]["id"] as? String == id)
    #expect(list[0]["elapsed_minutes"] as? Int == 540 && list[0]["target_minutes"] as? Int == 1080)

    let edit = try atrest(
      "sessions", "edit", String(id.prefix(4)), "--start", "2026-01-05T20:00", "--end",
      "2026-01-06T10:30")
    #expect(edit.code == 0)
    #expect(try atrest("sessions", "show", id).out.contains("lasted   14h 30m"))
    #expect(try atrest("sessions", "delete", String(id.prefix(8))).code == 0)
    #expect(try atrest("sessions", "show", id).code == 65)
    #expect(try atrest("sessions", "list", "--all", "--json").json() as? [String] == [])
  }

  @Test("a fast that ended goes on again only where no other does")
  func oneGoesOn() throws {
    let old = try id(try atrest("fast", "start", "--at", "10h ago", "--json"))
    try atrest("fast", "complete", "--at", "2h ago")
    try atrest("fast", "start", "--at", "1h ago")
    let refused = try atrest("sessions", "edit", old, "--outcome", "active")
    #expect(refused.code == 65 && refused.err.hasPrefix("A fast is already going on."))
    try atrest("fast", "abandon")
    #expect(try atrest("sessions", "edit", old, "--outcome", "active").code == 0)
    #expect(try atrest("sessions", "edit", old, "--outcome", "active").code == 0)
  }

  @Test(
    "of two open fasts one can be ended and taken back, and an undo that is refused takes nothing")
  func undoOfTwo() throws {
    let replica = try Replica(directory: atrest.replica)
    func begin(hoursAgo hours: Double) throws {
      let start = SystemClock().now().advanced(bySeconds: -hours * 3600)
      let span = try #require(Session.Span(start: start, end: nil, outcome: .active))
      try replica.save(Session(id: .random(), span: span, targetMinutes: 960))
    }
    func openCount() throws -> Int {
      try replica.sessions().filter { $0.span.outcome == .active }.count
    }
    try atrest("fast", "start", "--at", "10h ago")
    try begin(hoursAgo: 5)
    #expect(try atrest("fast", "complete").out.contains("Another fast is still open"))
    #expect(try atrest("undo").out.hasPrefix("Undone: the fast goes on"))
    #expect(try openCount() == 2)

    try atrest("fast", "complete")
    try begin(hoursAgo: 1)
    for _ in 0..<2 {
      let answer = try atrest("undo")
      #expect(answer.code == 65 && answer.err.hasPrefix("Another fast goes on"))
      #expect(answer.err.contains("`atrest sessions edit`"))
    }
    #expect(try openCount() == 2)
  }

  @Test(
    "what has nothing to change makes no replica",
    arguments: [
      "fast complete", "fast abandon", "sessions edit 3f --target 18h", "sessions delete 3f",
      "water edit 3f --amount 300", "water delete 3f",
    ])
  func nothingToChange(line: String) throws {
    let answer = try atrest.start(line.split(separator: " ").map(String.init)).wait()
    #expect(answer.code == 65 && answer.out.isEmpty)
    #expect(!FileManager.default.fileExists(atPath: atrest.replica.path))
  }

  /// POSIX drops a process's locks on a file when any descriptor of it is closed. The last of the
  /// other processes would then delete the write-ahead log.
  @Test("a replica opened twice in one process loses nothing to another process")
  func openedTwice() throws {
    func glass(_ millilitres: Int) throws -> WaterEntry {
      WaterEntry(
        id: RecordUUID.random(),
        intake: try #require(.init(at: SystemClock().now(), millilitres: millilitres)))
    }
    let first = try Replica(directory: atrest.replica)
    try first.save(try glass(100))
    let second = try Replica(directory: atrest.replica)
    #expect(try second.water().count == 1)
    #expect(try atrest("water", "add", "200").code == 0)
    try first.save(try glass(300))
    #expect(try atrest("water", "add", "400").code == 0)
    let listed = try atrest("water", "list", "--json").json() as? [[String: Any]]
    #expect(listed?.count == 4)
    #expect(try first.water().count == 4 && second.water().count == 4)
  }

  @Test("water is noted, listed, corrected and taken away")
  func water() throws {
    let id = try id(try atrest("water", "add", "8oz", "--at", "now", "--json"))
    #expect(try atrest("water", "edit", id, "--amount", "0.3l").out.contains("300 ml"))
    let list = try #require(try atrest("water", "list", "--json").json() as? [[String: Any]])
    #expect(list.count == 1 && list[0]["millilitres"] as? Int == 300)
    #expect(try atrest("status").out.contains("Water today: 300 ml"))
    #expect(try atrest("water", "delete", id).code == 0)
    #expect(try atrest("status").out.contains("Water today: 0 ml"))
  }

  @Test("amounts and targets are taken as people write them")
  func asWritten() throws {
    for (line, millilitres) in [("1 l", 1000), ("0,5l", 500), ("0.25 l", 250)] {
      let arguments = ["water", "add"] + line.split(separator: " ").map(String.init) + ["--json"]
      let row = try #require(try atrest.start(arguments).wait().json() as? [String: Any])
      #expect(row["millilitres"] as? Int == millilitres)
    }
    #expect(try atrest("water").out.contains("1750 ml"))
    #expect(try atrest("fast", "start", "18h", "--at", "30 min ago").code == 0)
    #expect(try atrest("fast").out.contains("0h 30m"))
  }

  @Test("an id that several share names them")
  func ambiguous() throws {
    // Of 17 IDs, two begin with the same of 16 digits.
    var ids: [String] = []
    for _ in 0..<17 { ids.append(try id(try atrest("water", "add", "100", "--json"))) }
    let shared = try #require(
      Dictionary(grouping: ids, by: { $0.prefix(1) }).first { $0.value.count > 1 })
    let answer = try atrest("water", "delete", String(shared.key))
    #expect(answer.code == 65)
    #expect(answer.err.hasPrefix("\(shared.value.count) entries have an id that begins so."))
    for id in shared.value { #expect(answer.err.contains(id.prefix(8))) }
    let list = try #require(try atrest("water", "list", "--json").json() as? [Any])
    #expect(list.count == 17)
  }

  @Test(
    "exit codes",
    arguments: [
      ("--help", 0), ("--version", 0), ("fast start --help", 0), ("help water", 0),
      ("frobnicate", 64),
      ("water", 0), ("fast", 0), ("water add 1 l", 0), ("water add 0,5l", 0),
      ("water add 1.000", 64), ("water add 1 cup", 64), ("fast start 16h", 0),
      ("fast start 16h --target 18h", 64), ("fast start soon", 64), ("fast start now", 64),
      ("water add", 0), ("water add lots", 64), ("water add 0", 65), ("water add 20l", 65),
      ("fast start --at 25:00", 64), ("fast start --at 2999-01-01T00:00", 65),
      ("fast start --target 0", 65), ("fast start --target 200h", 65), ("fast complete", 65),
      ("fast abandon", 65), ("sessions show 3f", 65), ("sessions show xyz", 64),
      ("conflicts list", 0), ("conflicts show 81c0", 65), ("conflicts restore 81c0", 65),
      ("pair nonsense", 64), ("pair atrest://example.org:7420/BCDF-GHJKLMNP", 64),
      ("pair atrest://127.0.0.1:1/BCDF-GHJKLMNP", 69), ("sync", 65), ("invite", 65),
      ("devices", 65), ("devices waiting", 65), ("devices allow 9b", 65), ("devices deny 9b", 65),
      ("devices rename 9b phone", 65), ("devices allow", 64), ("account", 65),
      ("account log", 65), ("account delete", 65), ("account delete --yes", 64),
      ("account export", 64), ("account export - --json", 64), ("unpair", 65), ("doctor", 0),
      ("doctor --check", 0),
      ("sync --watch --allow-mass-deletion", 64),
      ("replica digest", 65),
    ] as [(String, Int32)])
  func exitCodes(line: String, code: Int32) throws {
    let answer = try atrest.start(line.split(separator: " ").map(String.init)).wait()
    #expect(answer.code == code, "\(answer.err)")
    #expect(answer.err.isEmpty == (code == 0), "\(answer.err)")
    #expect(bannedWords(in: answer.out + answer.err).isEmpty)
  }

  @Test(
    "negative numbers are told of by the command, not taken for options",
    arguments: [
      ("water add -5", 64, "That is not an amount I can read."),
      ("water add -5ml --json", 64, "That is not an amount I can read."),
      ("water add 100 --at -5", 64, "That is not a time I can read."),
      ("fast start --target -16h", 64, "That is not a length of time I can read."),
      ("water list --days -3", 64, "`--days` needs a number from 1"),
      ("sessions list --limit -3", 64, "`--limit` needs a number"),
    ] as [(String, Int32, String)])
  func negative(line: String, code: Int32, sentence: String) throws {
    let answer = try atrest.start(line.split(separator: " ").map(String.init)).wait()
    #expect(answer.code == code && answer.err.contains(sentence), "\(answer.err)")
  }

  @Test("a target is hours where no unit says otherwise")
  func hours() throws {
    let row = try atrest("fast", "start", "--target", "18", "--json").json() as? [String: Any]
    #expect(row?["target_minutes"] as? Int == 1080)
  }

  @Test("help is whole on the narrowest terminal", arguments: ["atrest", "atrest-syncd"])
  func narrowHelp(name: String) throws {
    let program = try Binary(name)
    for columns in ["-5", "0", "1", "26", "39", "many"] {
      let help = try program("--help", with: ["COLUMNS": columns])
      #expect(help.code == 0 && help.err.isEmpty, "\(columns): \(help.err)")
      #expect(help.out.contains(name == "atrest" ? "Note water," : "Run the"), "\(columns)")
    }
    let terminal = try PseudoTerminal(columns: 20, rows: 24)
    let process = try terminal.start(program, ["--help"])
    terminal.finish(process)
    #expect(process.terminationStatus == 0)
  }

  @Test("a picture is its owner's alone, and takes no other file's place unless told to")
  func picture() throws {
    let file = atrest.home.appendingPathComponent("forest.svg")
    #expect(try atrest("forest", "--svg", file.path).code == 0)
    let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    let drawn = try Data(contentsOf: file)
    try Data("mine".utf8).write(to: file)
    let refused = try atrest("forest", "--svg", file.path)
    #expect(refused.code == 65 && refused.err.contains("or say `--force`"))
    #expect(try Data(contentsOf: file) == Data("mine".utf8))
    #expect(try atrest("forest", "--svg", file.path, "--force").code == 0)
    #expect(try Data(contentsOf: file) == drawn)
    #expect(try atrest("forest", "--svg", "").err.hasPrefix("That is no name for a file."))
    #expect(try atrest("forest", "--svg", ".").err.hasPrefix(". is a folder."))
  }

  @Test("what is not a file stays what it is, `--force` or not, and is named")
  func noFile() throws {
    let (pipe, link) = (
      atrest.home.appendingPathComponent("pipe").path,
      atrest.home.appendingPathComponent("link").path
    )
    #expect(mkfifo(pipe, 0o600) == 0)
    #expect(symlink("elsewhere.svg", link) == 0)
    for options in [[], ["--force"]] {
      let toPipe = try atrest.start(["forest", "--svg", pipe] + options).wait()
      #expect(toPipe.code == 65 && toPipe.err.contains("is a device or a pipe"))
      let toLink = try atrest.start(["forest", "--svg", link] + options).wait()
      #expect(toLink.code == 65 && toLink.err.contains("is a link"))
    }
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "elsewhere.svg")
    #expect(
      Set(try FileManager.default.contentsOfDirectory(atPath: atrest.home.path)) == [
        "pipe", "link",
      ])
  }

  @Test("options that only a picture has are refused without one")
  func pictureOptions() throws {
    for (command, option) in [("forest", ["--force"]), ("tree", ["--size", "100x100"])] {
      let refused = try atrest.start([command] + option).wait()
      #expect(refused.code == 64 && refused.err.contains("say `--svg FILE` with it"))
    }
  }

  @Test("a document that could not be written is not called done")
  func fullOutput() throws {
    try atrest("fast", "start")
    let full = try #require(FileHandle(forWritingAtPath: "/dev/full"))
    for arguments in [["export"], ["forest", "--svg", "-"], ["status"]] {
      let refused = try atrest.start(arguments, to: full).wait()
      #expect(refused.code == 74, "\(arguments)")
      #expect(refused.err.contains("is not whole") == (arguments != ["status"]), "\(refused.err)")
    }
    for program in [atrest, try Binary("atrest-syncd")] {
      for arguments in [["--help"], ["--version"]] {
        let refused = try program.start(arguments, to: full).wait()
        #expect(refused.code == 74 && !refused.err.isEmpty, "\(arguments)")
        #expect(try program.start(arguments).wait().code == 0)
      }
    }
  }

  @Test("a fast that lasts its target by the times as they are shown did not end early")
  func wholeMinutes() throws {
    let day = Date.now.addingTimeInterval(-2 * 86_400).formatted(.iso8601.year().month().day())
    try atrest("fast", "start", "--at", "\(day)T02:00:42Z", "--target", "16h")
    let completed = try atrest("fast", "complete", "--at", "\(day)T18:00Z")
    #expect(completed.code == 0 && completed.out == "This fast is complete. 16h.\n", "\(completed)")
  }

  @Test("a grey tree has no tone, in the forest and alone")
  func greyTree() throws {
    try atrest("fast", "start", "--at", "12h ago", "--target", "16h")
    let growing = try atrest("tree", "--json").json() as? [String: Any]
    #expect(growing?["tone"] != nil)
    try atrest("fast", "complete")
    let tree = try atrest("tree", "--json").json() as? [String: Any]
    #expect(tree?["state"] as? String == "incomplete" && tree?["tone"] == nil)
  }

  @Test("both programs are of one version")
  func version() throws {
    let (companion, server) = (try atrest("--version"), try Binary("atrest-syncd")("--version"))
    // A release build adds its commit.
    #expect(companion.out.hasPrefix(ProgramVersion.text) && companion.out == server.out)
    #expect(companion.code == 0 && server.code == 0)
  }

  @Test("the server's help names where its data is, for every command that needs it")
  func dataFolder() throws {
    let server = try Binary("atrest-syncd")
    for command in ["serve", "account add", "account remove", "device list", "backup", "restore"] {
      let words = ["help"] + command.split(separator: " ").map(String.init)
      let help = try server.start(words).wait().out
      #expect(
        help.contains("--data <dir>") && help.contains(".local/share/atrest-syncd"), "\(command)")
    }
  }

  @Test("a pipe sees no escapes and no progress")
  func pipe() throws {
    try atrest("fast", "start")
    for arguments in [["status"], ["sessions"], ["water", "list"], ["replica", "dump"]] {
      let answer = try atrest.start(arguments, ["TERM": "xterm-256color"]).wait()
      #expect(answer.err.isEmpty && !answer.out.contains("\u{1B}") && !answer.out.contains("\r"))
    }
  }

  @Test("times are those of the zone, and digits the same in every locale")
  func places() throws {
    try atrest("fast", "start", "--at", "2h ago")
    for locale in ["C", "fr_FR.UTF-8", "ar_EG.UTF-8", "fa_IR.UTF-8"] {
      let environment = ["LC_ALL": locale, "LANG": locale, "TZ": "Asia/Kathmandu"]
      let listed = try atrest("sessions", "show", "", with: environment)
      #expect(listed.code == 64)
      let status = try atrest("status", with: environment)
      #expect(status.out.contains("2h so far, target 16h; digestion completing"), "\(locale)")
      #expect(status.out.contains("Water today: 0 ml"), "\(locale)")
    }
    try atrest("water", "add", "250", "--at", "2020-01-01T20:00Z")
    for (zone, day) in [("Asia/Kathmandu", "2020-01-02"), ("America/Lima", "2020-01-01")] {
      let list = try atrest("water", "list", "--all", "--json", with: ["TZ": zone]).json()
      #expect((list as? [[String: Any]])?.first?["day"] as? String == day)
    }
  }

  @Test("of several starts at one moment one wins")
  func concurrentStarts() throws {
    let running = try (0..<4).map { _ in try atrest.start(["fast", "start"]) }
    let codes = running.map { $0.wait().code }
    #expect(codes.sorted() == [0, 65, 65, 65])
    let list = try atrest("sessions", "list", "--json").json()
    #expect((list as? [Any])?.count == 1)
  }

  @Test("a folder named by an option or the environment is used, and the home folder is left alone")
  func folders() throws {
    let folder = atrest.home.appendingPathComponent("elsewhere").path
    #expect(try atrest("--replica", folder, "water", "add", "250").code == 0)
    #expect(try atrest("status", with: ["ATREST_REPLICA": folder]).out.contains("250 ml"))
    #expect(!FileManager.default.fileExists(atPath: atrest.replica.path))
  }

  @Test("a replica that cannot be read is an error, and stays as it is")
  func damaged() throws {
    try atrest("water", "add", "250")
    let file = atrest.replica.appendingPathComponent("replica.sqlite")
    let garbage = Data("this is no database, and must stay what it is".utf8)
    try garbage.write(to: file)
    for arguments in [["status"], ["water", "add", "250"], ["sessions"], ["sync"]] {
      let answer = try atrest.start(arguments).wait()
      #expect(answer.code == 65 && answer.out.isEmpty)
      #expect(answer.err.contains("cannot be read"))
    }
    #expect(try Data(contentsOf: file) == garbage)
  }

  @Test("the digest is one word, and the dump ends with it")
  func digest() throws {
    try atrest("water", "add", "250")
    let digest = try atrest("replica", "digest").out.trimmingCharacters(in: .newlines)
    #expect(digest.count == 16 && digest.allSatisfy(\.isHexDigit))
    let lines = try atrest("replica", "dump", "--json").out.split(separator: "\n")
    #expect(lines.count == 2 && lines[1].contains(digest))
    #expect(!lines[0].contains(#""value":"#))
  }
}
