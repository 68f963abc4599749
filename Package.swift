// swift-tools-version: 6.1
// The package: each target imports only targets above it in this file, which Scripts/import-graph
// checks. See ARCHITECTURE.md.

import PackageDescription

/// `Tests/Fuzz/run` builds with `ATREST_FUZZER` naming libFuzzer's archive: our own modules then
/// count what they run.
let fuzzer = Context.environment["ATREST_FUZZER"]
let coverage = "edge,trace-cmp,inline-8bit-counters,pc-table"

/// CI builds with `ATREST_STRICT=1`. Unsafe flags would bar other packages from depending on this
/// one.
let strict: [SwiftSetting] =
  (Context.environment["ATREST_STRICT"] == nil ? [] : [.unsafeFlags(["-warnings-as-errors"])])
  + (fuzzer == nil ? [] : [.unsafeFlags(["-sanitize=address", "-sanitize-coverage=\(coverage)"])])

/// `make release` names the commit, which `--version` prints.
let commit = Context.environment["ATREST_COMMIT"] ?? ""
let build: [CSetting] =
  commit.isEmpty || !commit.allSatisfy { $0.isASCII && ($0.isHexDigit || $0 == "-") }
  ? [] : [.define("ATREST_COMMIT", to: "\"\(commit)\"")]

/// The server's transport, on epoll, nghttp2 and OpenSSL, is Linux's. Clients elsewhere bring
/// another one.
let linux = TargetDependencyCondition.when(platforms: [.linux])

let package = Package(
  name: "atrest-sync",
  platforms: [.iOS(.v18), .macOS(.v15)],
  products: [
    // A product exports every module of this package whose types its public API shows, no other.
    .library(
      name: "AtrestClient",
      targets: [
        "AtrestClient", "AtrestDomain", "AtrestEntitlements", "AtrestFoundation",
        "AtrestPortability", "AtrestReplication", "AtrestSync", "AtrestTransfer", "AtrestTrust",
        "AtrestWire",
      ]),
    .library(
      name: "AtrestTransport",
      targets: [
        "AtrestRPC", "AtrestHTTP2", "AtrestLedger", "AtrestSockets", "AtrestTLS", "AtrestTrust",
      ]),
    .library(
      name: "AtrestCompanion",
      targets: [
        "AtrestCompanion", "AtrestClient", "AtrestCommandLine", "AtrestDomain",
        "AtrestEntitlements", "AtrestFoundation", "AtrestPortability", "AtrestReplication",
        "AtrestSync", "AtrestTransfer", "AtrestTrust", "AtrestWire",
      ]),
    .library(
      name: "AtrestPresentation",
      targets: ["AtrestPresentation", "AtrestDomain", "AtrestReplication"]),
    .executable(name: "atrest-syncd", targets: ["atrest-syncd"]),
    .executable(name: "atrest", targets: ["atrest"]),
    .executable(name: "trunk", targets: ["trunk"]),
    .executable(name: "atrest-lab", targets: ["atrest-lab"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.7.0"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/jpsim/Yams", "5.0.1"..<"7.0.0"),
  ],
  targets: [
    // C libraries, one module each.
    .systemLibrary(
      name: "CAtrestProtobufC", path: "Sources/CAtrestProtobufC", pkgConfig: "libprotobuf-c",
      providers: [.apt(["libprotobuf-c-dev"])]),
    .systemLibrary(
      name: "CAtrestZlib", path: "Sources/CAtrestZlib", pkgConfig: "zlib",
      providers: [.apt(["zlib1g-dev"])]),
    .systemLibrary(
      name: "CAtrestNghttp2", path: "Sources/CAtrestNghttp2", pkgConfig: "libnghttp2",
      providers: [.apt(["libnghttp2-dev"])]),
    .systemLibrary(
      name: "CAtrestOpenSSL", path: "Sources/CAtrestOpenSSL", pkgConfig: "openssl",
      providers: [.apt(["libssl-dev"])]),
    // The server's alone: clients have no database server to talk to.
    .systemLibrary(
      name: "CAtrestPQ", path: "Sources/CAtrestPQ", pkgConfig: "libpq",
      providers: [.apt(["libpq-dev"])]),
    .target(name: "CAtrestBuild", path: "Sources/CAtrestBuild", cSettings: build),
    // The web app's files, if they were built before: see Scripts/embed-web.
    .target(name: "CAtrestWebApp", path: "Sources/CAtrestWebApp"),
    .target(name: "CAtrestEpoll", path: "Sources/CAtrestEpoll"),
    .systemLibrary(name: "CAtrestMalloc", path: "Sources/CAtrestMalloc"),
    .target(
      name: "CAtrestProtos", dependencies: ["CAtrestProtobufC"], path: "Sources/CAtrestProtos"),

    // Libraries both sides share.
    // Hashes, signatures and certificates: on OpenSSL, and on Apple's platforms on CryptoKit.
    .target(
      name: "AtrestCrypto", dependencies: [.target(name: "CAtrestOpenSSL", condition: linux)],
      path: "Sources/AtrestCrypto", swiftSettings: strict),
    // Whom a client believes, whatever its TLS.
    .target(name: "AtrestTrust", path: "Sources/AtrestTrust", swiftSettings: strict),
    .target(name: "AtrestReplication", path: "Sources/AtrestReplication", swiftSettings: strict),
    .target(
      name: "AtrestDomain", dependencies: ["AtrestReplication"], path: "Sources/AtrestDomain",
      swiftSettings: strict),
    // The public messages: protobuf's wire format in Swift, for clients.
    .target(
      name: "AtrestWire", dependencies: ["AtrestReplication", "AtrestDomain"],
      path: "Sources/AtrestWire", swiftSettings: strict),
    // The second app's domain. `packageAccess: false`: an app sees public API alone.
    .target(
      name: "TrunkDomain", dependencies: ["AtrestReplication", "AtrestDomain", "AtrestWire"],
      path: "Sources/TrunkDomain", packageAccess: false, swiftSettings: strict),
    // The portable core's times, ids and zones from Foundation's.
    .target(
      name: "AtrestFoundation", dependencies: ["AtrestDomain", "AtrestReplication"],
      path: "Sources/AtrestFoundation", swiftSettings: strict),
    // Pictures: of trees, forests and months, and codes for cameras.
    .target(
      name: "AtrestPresentation", dependencies: ["AtrestDomain"],
      path: "Sources/AtrestPresentation",
      swiftSettings: strict),
    // What programs for the terminal need that know nothing of a replica.
    .target(
      name: "AtrestCommandLine",
      dependencies: [
        "AtrestDomain", "AtrestFoundation", "AtrestPresentation", "AtrestReplication", "AtrestWire",
        "CAtrestBuild",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Sources/AtrestCommandLine", swiftSettings: strict),
    // The second app's pictures, on public API alone like its domain.
    .target(
      name: "TrunkPresentation",
      dependencies: ["AtrestDomain", "AtrestPresentation", "AtrestReplication", "TrunkDomain"],
      path: "Sources/TrunkPresentation", packageAccess: false, swiftSettings: strict),
    .target(
      name: "AtrestEntitlements",
      dependencies: ["AtrestCrypto", "AtrestDomain", "AtrestReplication"],
      path: "Sources/AtrestEntitlements", swiftSettings: strict),
    .target(
      name: "AtrestProtocol",
      dependencies: [
        "AtrestCrypto", "AtrestDomain", "AtrestReplication", "CAtrestProtobufC", "CAtrestProtos",
        "AtrestWire",
      ],
      path: "Sources/AtrestProtocol", swiftSettings: strict),
    // The client's side of a sync as state machines.
    .target(
      name: "AtrestSync", dependencies: ["AtrestDomain", "AtrestReplication", "AtrestWire"],
      path: "Sources/AtrestSync", swiftSettings: strict),
    // Files that people carry: the native export, and what an import does.
    .target(
      name: "AtrestTransfer", dependencies: ["AtrestDomain", "AtrestReplication", "AtrestWire"],
      path: "Sources/AtrestTransfer", swiftSettings: strict),
    // The replica of a browser: one request in, one answer out.
    .target(
      name: "AtrestWeb",
      dependencies: [
        "AtrestDomain", "AtrestPresentation", "AtrestReplication", "AtrestSync", "AtrestTransfer",
        "AtrestWire", "TrunkDomain", "TrunkPresentation",
      ],
      path: "Client/web/core", swiftSettings: strict),
    // Other apps' files, which take Foundation.
    .target(
      name: "AtrestPortability",
      dependencies: [
        "AtrestDomain", "AtrestFoundation", "AtrestReplication", "AtrestTransfer", "AtrestWire",
      ], path: "Sources/AtrestPortability", swiftSettings: strict),
    // Files that people name, and files that are replaced whole.
    .target(name: "AtrestFiles", path: "Sources/AtrestFiles", swiftSettings: strict),
    // Who makes us hold how much.
    .target(name: "AtrestLedger", path: "Sources/AtrestLedger", swiftSettings: strict),
    .target(
      name: "AtrestHTTP2", dependencies: ["AtrestLedger", "CAtrestNghttp2", "CAtrestZlib"],
      path: "Sources/AtrestHTTP2",
      swiftSettings: strict),
    .target(
      name: "AtrestSockets", dependencies: ["AtrestLedger", "AtrestHTTP2", "CAtrestEpoll"],
      path: "Sources/AtrestSockets", swiftSettings: strict),
    .target(
      name: "AtrestTLS", dependencies: ["AtrestTrust", "AtrestFiles", "CAtrestOpenSSL"],
      path: "Sources/AtrestTLS", swiftSettings: strict),
    .target(
      name: "AtrestRPC",
      dependencies: [
        "AtrestLedger", "AtrestHTTP2", "AtrestSockets", "AtrestTLS",
        .product(name: "CoreMetrics", package: "swift-metrics"),
      ],
      path: "Sources/AtrestRPC", swiftSettings: strict),

    // The server.
    // Sessions with PostgreSQL on the shards.
    .target(
      name: "AtrestPostgreSQL", dependencies: ["AtrestHTTP2", "AtrestSockets", "CAtrestPQ"],
      path: "Server/AtrestPostgreSQL", swiftSettings: strict),
    // Metrics for Prometheus: a backend of swift-metrics, and who serves it.
    .target(
      name: "AtrestMetrics",
      dependencies: [
        "AtrestHTTP2", "AtrestSockets", .product(name: "CoreMetrics", package: "swift-metrics"),
      ], path: "Server/AtrestMetrics", swiftSettings: strict),
    .target(
      name: "AtrestServer",
      dependencies: [
        "AtrestCrypto", "AtrestDomain", "AtrestEntitlements", "AtrestFoundation", "AtrestLedger",
        "AtrestPostgreSQL", "AtrestReplication", "AtrestProtocol", "AtrestHTTP2", "AtrestSockets",
        "AtrestRPC", "AtrestTLS", "AtrestWire",
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "GRDBSQLite", package: "GRDB.swift"),
        .product(name: "CoreMetrics", package: "swift-metrics"),
        .product(name: "Logging", package: "swift-log"),
      ], path: "Server/AtrestServer", swiftSettings: strict),
    .executableTarget(
      name: "atrest-syncd",
      dependencies: [
        "AtrestServer", "AtrestMetrics", "AtrestPostgreSQL", "CAtrestMalloc", "CAtrestWebApp",
        "AtrestCrypto",
        "AtrestDomain",
        "AtrestFiles",
        "AtrestFoundation",
        "AtrestSockets",
        "AtrestEntitlements", "AtrestRPC", "AtrestReplication", "AtrestProtocol",
        "AtrestCommandLine", "AtrestTLS", "AtrestWire",
        "AtrestHTTP2",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "CoreMetrics", package: "swift-metrics"),
        .product(name: "Logging", package: "swift-log"),
      ], path: "Server/atrest-syncd", swiftSettings: strict),

    // The client.
    .target(
      name: "AtrestClient",
      dependencies: [
        "AtrestDomain", "AtrestEntitlements", "AtrestFiles", "AtrestFoundation",
        "AtrestPortability", "AtrestReplication", "AtrestSync", "AtrestTrust", "AtrestWire",
        .target(name: "AtrestHTTP2", condition: linux),
        .target(name: "AtrestSockets", condition: linux),
        .target(name: "AtrestRPC", condition: linux),
        .target(name: "AtrestTLS", condition: linux),
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "GRDBSQLite", package: "GRDB.swift"),
      ], path: "Client/AtrestClient", swiftSettings: strict),

    // What programs for the terminal share.
    .target(
      name: "AtrestCompanion",
      dependencies: [
        "AtrestClient", "AtrestCommandLine", "AtrestDomain", "AtrestFoundation",
        "AtrestPortability", "AtrestReplication", "AtrestSync", "AtrestWire",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ], path: "Client/AtrestCompanion", swiftSettings: strict),

    // Words for the garden's kinds, for both programs: one account may hold fasts and a garden.
    .target(
      name: "TrunkVocabulary", dependencies: ["AtrestCompanion", "TrunkDomain"],
      path: "Client/TrunkVocabulary", packageAccess: false, swiftSettings: strict),
    .executableTarget(
      name: "atrest",
      dependencies: [
        "AtrestClient", "AtrestDomain", "AtrestFiles", "AtrestFoundation",
        "AtrestPresentation", "AtrestEntitlements", "AtrestPortability", "AtrestReplication",
        "AtrestSync", "AtrestWire",
        "AtrestCommandLine", "AtrestCompanion", "TrunkVocabulary",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ], path: "Client/atrest", swiftSettings: strict),
    .executableTarget(
      name: "trunk",
      dependencies: [
        "AtrestCompanion", "AtrestPresentation", "TrunkDomain", "TrunkPresentation",
        "TrunkVocabulary",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ], path: "Client/trunk", packageAccess: false, swiftSettings: strict),

    // The lab: scenarios of conflicting edits, played on a real server and real replicas.
    .target(
      name: "AtrestLab",
      dependencies: [
        "AtrestServer", "AtrestClient", "AtrestDomain", "AtrestFoundation", "AtrestSockets",
        "AtrestRPC", "AtrestReplication", "AtrestSync", "AtrestProtocol", "AtrestWire",
        "TrunkDomain",
        .product(name: "Logging", package: "swift-log"),
        .product(name: "Yams", package: "Yams"),
      ], path: "Lab/AtrestLab", swiftSettings: strict),
    .executableTarget(
      name: "atrest-lab",
      dependencies: [
        "AtrestCompanion", "AtrestLab",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ], path: "Lab/atrest-lab", swiftSettings: strict),

    // The code that the documentation shows, with no more access than an app has.
    .executableTarget(
      name: "examples",
      dependencies: [
        "AtrestClient", "AtrestCompanion", "AtrestHTTP2", "AtrestRPC", "AtrestSockets", "AtrestTLS",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ], path: "Examples/Snippets", packageAccess: false, swiftSettings: strict),

    // An app with a kind of record of its own.
    .executableTarget(
      name: "mood",
      dependencies: ["AtrestClient"], path: "Examples/Mood", exclude: ["run"], packageAccess: false,
      swiftSettings: strict),

    // Specifications.
    // Stands in for fsync in the tests, and tells what was synced.
    .target(name: "CAtrestSyncProbe", path: "Tests/Support/SyncProbe"),
    .target(
      name: "AtrestTestSupport", dependencies: ["AtrestReplication", "CAtrestSyncProbe"],
      path: "Tests/Support/Swift",
      swiftSettings: strict),
    .testTarget(
      name: "AtrestDomainTests",
      dependencies: [
        "AtrestDomain", "AtrestFoundation", "AtrestReplication", "AtrestTestSupport",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "AtrestFoundationTests",
      dependencies: [
        "AtrestDomain", "AtrestFoundation", "AtrestReplication", "AtrestTestSupport",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "AtrestPresentationTests",
      dependencies: [
        "AtrestPresentation", "AtrestDomain", "AtrestReplication", "AtrestWire",
        "AtrestTestSupport",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "AtrestWebTests",
      dependencies: ["AtrestDomain", "AtrestReplication", "AtrestSync", "AtrestWeb", "AtrestWire"],
      swiftSettings: strict),
    // Writes the pictures of docs/use/gallery: see Scripts/gallery.
    .executableTarget(
      name: "gallery",
      dependencies: [
        "AtrestPresentation", "AtrestDomain", "AtrestReplication", "TrunkDomain",
        "TrunkPresentation",
      ],
      path: "Tests/Gallery", swiftSettings: strict),
    // What the App Store would sign, by an authority of the tests' own.
    .target(
      name: "AtrestAppStore",
      dependencies: [
        "AtrestEntitlements", "AtrestReplication", "CAtrestOpenSSL",
      ], path: "Tests/AppStore", swiftSettings: strict),
    // Every public message, and the law that both of its codecs agree.
    .target(
      name: "AtrestWireCases",
      dependencies: [
        "AtrestDomain", "AtrestReplication", "AtrestProtocol", "AtrestWire", "AtrestTestSupport",
      ], path: "Tests/WireCases", swiftSettings: strict),
    // The bodies of the fuzzers, which CI replays the corpus through: docs/develop/fuzzing.md.
    .target(
      name: "AtrestFuzzing",
      dependencies: [
        "AtrestAppStore", "AtrestClient", "AtrestCrypto", "AtrestDomain", "AtrestFoundation",
        "AtrestLab", "AtrestServer",
        "AtrestSockets", "AtrestEntitlements", "AtrestPortability", "AtrestReplication",
        "AtrestProtocol", "AtrestWire", "AtrestWireCases", "AtrestTLS", "AtrestTrust",
        "AtrestHTTP2",
        "AtrestSync",
      ], path: "Tests/Fuzz/Library", swiftSettings: strict),
    .testTarget(
      name: "AtrestCryptoTests",
      dependencies: ["AtrestAppStore", "AtrestCrypto", "AtrestTestSupport", "CAtrestOpenSSL"],
      swiftSettings: strict),
    .testTarget(
      name: "AtrestEntitlementsTests",
      dependencies: [
        "AtrestAppStore", "AtrestCrypto", "AtrestEntitlements", "AtrestDomain",
        "AtrestFoundation", "AtrestReplication", "AtrestTestSupport",
      ], swiftSettings: strict),
    .testTarget(
      name: "TrunkDomainTests",
      dependencies: [
        "TrunkDomain", "AtrestDomain", "AtrestReplication", "AtrestWire", "AtrestTestSupport",
      ], packageAccess: false, swiftSettings: strict),
    .testTarget(
      name: "TrunkPresentationTests",
      dependencies: [
        "TrunkPresentation", "TrunkDomain", "AtrestPresentation", "AtrestDomain",
        "AtrestReplication", "AtrestTestSupport",
      ], packageAccess: false, swiftSettings: strict),
    .testTarget(
      name: "AtrestReplicationTests", dependencies: ["AtrestReplication", "AtrestTestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "AtrestWireTests",
      dependencies: [
        "AtrestCrypto", "AtrestWire", "AtrestWireCases", "AtrestProtocol", "AtrestFoundation",
        "AtrestDomain",
        "AtrestReplication",
        "AtrestTestSupport",
      ], swiftSettings: strict),
    .testTarget(
      name: "AtrestProtocolTests",
      dependencies: [
        "AtrestDomain", "AtrestProtocol", "AtrestWire", "AtrestWireCases", "AtrestReplication",
        "AtrestTestSupport",
      ], swiftSettings: strict),
    .testTarget(
      name: "AtrestFilesTests", dependencies: ["AtrestFiles", "AtrestTestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "AtrestLedgerTests", dependencies: ["AtrestLedger", "AtrestTestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "AtrestHTTP2Tests",
      dependencies: ["AtrestHTTP2", "CAtrestNghttp2", "AtrestTestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "AtrestSocketsTests",
      dependencies: ["AtrestSockets", "AtrestHTTP2", "AtrestTestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "AtrestRPCTests",
      dependencies: [
        "AtrestRPC", "AtrestSockets", "AtrestLedger", "AtrestHTTP2", "AtrestTestSupport",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "AtrestTLSTests",
      dependencies: [
        "AtrestTrust", "AtrestTLS", "CAtrestOpenSSL", "AtrestRPC", "AtrestSockets",
        "AtrestHTTP2", "AtrestTestSupport",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "AtrestPostgreSQLTests",
      dependencies: [
        "AtrestPostgreSQL", "AtrestSockets", "AtrestHTTP2", "AtrestTestSupport",
      ], swiftSettings: strict),
    .testTarget(
      name: "AtrestServerTests",
      dependencies: [
        "AtrestAppStore", "AtrestServer", "AtrestMetrics", "AtrestDomain", "AtrestFoundation",
        "AtrestSockets",
        "AtrestEntitlements", "AtrestRPC", "AtrestLedger", "AtrestPostgreSQL",
        "AtrestReplication", "AtrestProtocol",
        "AtrestTestSupport", "AtrestWire",
        "AtrestHTTP2",
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "Logging", package: "swift-log"),
      ], swiftSettings: strict),
    .testTarget(
      name: "AtrestSyncTests",
      dependencies: ["AtrestSync", "AtrestReplication", "AtrestWire", "AtrestTestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "AtrestClientTests",
      dependencies: [
        "AtrestAppStore", "AtrestClient", "AtrestDomain", "AtrestEntitlements", "AtrestFoundation",
        "AtrestReplication", "AtrestSync", "AtrestHTTP2", "AtrestSockets", "AtrestRPC",
        "AtrestTestSupport", "AtrestWire",
        .product(name: "GRDB", package: "GRDB.swift"),
      ], swiftSettings: strict),
    .testTarget(
      name: "AtrestPortabilityTests",
      dependencies: [
        "AtrestClient", "AtrestDomain", "AtrestFoundation", "AtrestFuzzing", "AtrestPortability",
        "AtrestReplication", "AtrestTestSupport", "AtrestWire",
      ], exclude: ["Python"], swiftSettings: strict),
    .testTarget(
      name: "AtrestCompanionTests",
      dependencies: [
        "AtrestClient", "AtrestCommandLine", "AtrestCompanion", "AtrestReplication", "AtrestSync",
        "AtrestTestSupport",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ], swiftSettings: strict),
    .testTarget(
      name: "AtrestTests",
      dependencies: [
        "AtrestAppStore", "atrest", "AtrestClient", "AtrestCompanion", "AtrestDomain",
        "AtrestFoundation", "AtrestReplication", "AtrestSync", "AtrestCommandLine",
        "AtrestTestSupport", "AtrestWire",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ], swiftSettings: strict),
    .testTarget(
      name: "TrunkTests",
      dependencies: ["trunk", "AtrestCompanion", "AtrestTestSupport", "TrunkDomain"],
      packageAccess: false, swiftSettings: strict),
    .testTarget(
      name: "AtrestSyncdTests",
      dependencies: [
        "atrest-syncd", "AtrestCommandLine", "AtrestProtocol",
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: strict),
    .testTarget(
      name: "AtrestMetricsTests",
      dependencies: [
        "AtrestMetrics", "AtrestHTTP2", "AtrestSockets",
        .product(name: "CoreMetrics", package: "swift-metrics"),
      ],
      swiftSettings: strict),
    .testTarget(
      name: "AtrestLabTests",
      dependencies: [
        "AtrestLab", "atrest-lab", "AtrestCommandLine", "AtrestClient", "AtrestDomain",
        "AtrestReplication", "AtrestTestSupport",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "Integration",
      dependencies: [
        "AtrestServer", "AtrestClient", "AtrestDomain", "AtrestFoundation", "AtrestHTTP2",
        "AtrestPostgreSQL", "AtrestSockets", "AtrestRPC", "AtrestReplication", "AtrestSync",
        "AtrestProtocol", "AtrestTestSupport", "AtrestWire",
        .product(name: "Logging", package: "swift-log"),
      ], swiftSettings: strict),

    // What the portable core computes, on Linux here and as WebAssembly by Scripts/portable-core.
    .target(
      name: "AtrestPortableCases",
      dependencies: [
        "AtrestDomain", "AtrestPresentation", "AtrestReplication", "AtrestSync", "AtrestWire",
      ],
      path: "Tests/Portable/Cases", swiftSettings: strict),
    .testTarget(
      name: "AtrestPortableTests", dependencies: ["AtrestPortableCases"],
      path: "Tests/Portable/Specifications", swiftSettings: strict),

    // The deterministic simulator: see Tests/Simulation/README.md.
    .target(
      name: "CAtrestSimulatedDisk", path: "Tests/Simulation/Disk",
      linkerSettings: [.linkedLibrary("sqlite3")]),
    .target(
      name: "AtrestSimulation",
      dependencies: [
        "AtrestServer", "AtrestClient", "AtrestDomain", "AtrestFoundation", "CAtrestSimulatedDisk",
        "AtrestPostgreSQL", "AtrestRPC", "AtrestReplication", "AtrestSync", "AtrestProtocol",
        "AtrestHTTP2", "AtrestWire",
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "Logging", package: "swift-log"),
      ], path: "Tests/Simulation/Library", swiftSettings: strict),
    .executableTarget(
      name: "simulate", dependencies: ["AtrestSimulation", "AtrestReplication"],
      path: "Tests/Simulation/Command", swiftSettings: strict),
    .testTarget(
      name: "AtrestSimulationTests",
      dependencies: ["AtrestSimulation", "AtrestClient", "AtrestServer", "AtrestReplication"],
      path: "Tests/Simulation/Specifications", swiftSettings: strict),

    // What peers have a process hold, against its heap: see docs/operate/limits.md.
    .target(name: "CAtrestHeapMeter", path: "Tests/Heap/Meter"),
    .executableTarget(
      name: "heap",
      dependencies: [
        "CAtrestHeapMeter", "AtrestSockets", "AtrestFuzzing", "AtrestRPC", "AtrestLedger",
        "AtrestHTTP2",
      ],
      path: "Tests/Heap/Property", swiftSettings: strict),
    // grpc's own test service, for clients of other implementations.
    .executableTarget(
      name: "interop-server", dependencies: ["AtrestRPC", "AtrestHTTP2", "AtrestSockets"],
      path: "Tests/Interop/Server", swiftSettings: strict),
    // Both codecs side by side: see docs/develop/benchmarks.md.
    .executableTarget(
      name: "codec-bench", dependencies: ["AtrestProtocol", "AtrestWire", "AtrestReplication"],
      path: "Benchmarks/Codec", swiftSettings: strict),
    // What is derived from a large garden, measured by itself.
    .executableTarget(
      name: "garden-bench",
      dependencies: ["AtrestReplication", "AtrestDomain", "TrunkDomain", "TrunkPresentation"],
      path: "Benchmarks/Garden", swiftSettings: strict),
    // Replays the corpus of the fuzzers.
    .testTarget(
      name: "AtrestFuzzTests", dependencies: ["AtrestFuzzing", "AtrestTestSupport"],
      path: "Tests/Fuzz/Specifications", swiftSettings: strict),
  ]
)

if let fuzzer {
  package.targets += [
    .target(name: "CAtrestFuzzer", path: "Tests/Fuzz/Driver"),
    .executableTarget(
      name: "fuzz", dependencies: ["CAtrestFuzzer", "AtrestFuzzing"], path: "Tests/Fuzz/Command",
      swiftSettings: strict,
      linkerSettings: [
        .unsafeFlags(["-use-ld=lld", "-Xlinker", fuzzer]), .linkedLibrary("stdc++"),
      ]),
  ]
}
