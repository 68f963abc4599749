// swift-tools-version: 6.1
// The package: each target imports only targets above it in this file, which Scripts/import-graph
// checks. See ARCHITECTURE.md.

import PackageDescription

/// `Tests/Fuzz/run` builds with `ATREST_FUZZER` naming libFuzzer's archive: our own modules then
/// count what they run.
let fuzzer = Context.environment["ATREST_FUZZER"]
let coverage = "edge,trace-cmp,inline-8bit-counters,pc-table"

let settings: [SwiftSetting] =
  fuzzer == nil ? [] : [.unsafeFlags(["-sanitize=address", "-sanitize-coverage=\(coverage)"])]

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
      path: "Sources/AtrestCrypto", swiftSettings: settings),
    // Whom a client believes, whatever its TLS.
    .target(name: "AtrestTrust", path: "Sources/AtrestTrust", swiftSettings: settings),
    .target(name: "AtrestReplication", path: "Sources/AtrestReplication", swiftSettings: settings),
    .target(
      name: "AtrestDomain", dependencies: ["AtrestReplication"], path: "Sources/AtrestDomain",
      swiftSettings: settings),
    // The public messages: protobuf's wire format in Swift, for clients.
    .target(
      name: "AtrestWire", dependencies: ["AtrestReplication", "AtrestDomain"],
      path: "Sources/AtrestWire", swiftSettings: settings),
    // The second app's domain. `packageAccess: false`: an app sees public API alone.
    .target(
      name: "TrunkDomain", dependencies: ["AtrestReplication", "AtrestDomain", "AtrestWire"],
      path: "Sources/TrunkDomain", packageAccess: false, swiftSettings: settings),
    // The portable core's times, ids and zones from Foundation's.
    .target(
      name: "AtrestFoundation", dependencies: ["AtrestDomain", "AtrestReplication"],
      path: "Sources/AtrestFoundation", swiftSettings: settings),
    // Pictures: of trees, forests and months, and codes for cameras.
    .target(
      name: "AtrestPresentation", dependencies: ["AtrestDomain"],
      path: "Sources/AtrestPresentation",
      swiftSettings: settings),
    // What programs for the terminal need that know nothing of a replica.
    .target(
      name: "AtrestCommandLine",
      dependencies: [
        "AtrestDomain", "AtrestFoundation", "AtrestPresentation", "AtrestReplication", "AtrestWire",
        "CAtrestBuild",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Sources/AtrestCommandLine", swiftSettings: settings),
    // The second app's pictures, on public API alone like its domain.
    .target(
      name: "TrunkPresentation",
      dependencies: ["AtrestDomain", "AtrestPresentation", "AtrestReplication", "TrunkDomain"],
      path: "Sources/TrunkPresentation", packageAccess: false, swiftSettings: settings),
    .target(
      name: "AtrestEntitlements",
      dependencies: ["AtrestCrypto", "AtrestDomain", "AtrestReplication"],
      path: "Sources/AtrestEntitlements", swiftSettings: settings),
    .target(
      name: "AtrestProtocol",
      dependencies: [
        "AtrestCrypto", "AtrestDomain", "AtrestReplication", "CAtrestProtobufC", "CAtrestProtos",
        "AtrestWire",
      ],
      path: "Sources/AtrestProtocol", swiftSettings: settings),
    // The client's side of a sync as state machines.
    .target(
      name: "AtrestSync", dependencies: ["AtrestDomain", "AtrestReplication", "AtrestWire"],
      path: "Sources/AtrestSync", swiftSettings: settings),
    // Files that people carry: the native export, and what an import does.
    .target(
      name: "AtrestTransfer", dependencies: ["AtrestDomain", "AtrestReplication", "AtrestWire"],
      path: "Sources/AtrestTransfer", swiftSettings: settings),
    // The replica of a browser: one request in, one answer out.
    .target(
      name: "AtrestWeb",
      dependencies: [
        "AtrestDomain", "AtrestPresentation", "AtrestReplication", "AtrestSync", "AtrestTransfer",
        "AtrestWire", "TrunkDomain", "TrunkPresentation",
      ],
      path: "Client/web/core", swiftSettings: settings),
    // Other apps' files, which take Foundation.
    .target(
      name: "AtrestPortability",
      dependencies: ["AtrestDomain", "AtrestReplication", "AtrestTransfer", "AtrestWire"],
      path: "Sources/AtrestPortability", swiftSettings: settings),
    // Files that people name, and files that are replaced whole.
    .target(name: "AtrestFiles", path: "Sources/AtrestFiles", swiftSettings: settings),
    // Who makes us hold how much.
    .target(name: "AtrestLedger", path: "Sources/AtrestLedger", swiftSettings: settings),
    .target(
      name: "AtrestHTTP2", dependencies: ["AtrestLedger", "CAtrestNghttp2", "CAtrestZlib"],
      path: "Sources/AtrestHTTP2",
      swiftSettings: settings),
    .target(
      name: "AtrestSockets", dependencies: ["AtrestLedger", "AtrestHTTP2", "CAtrestEpoll"],
      path: "Sources/AtrestSockets", swiftSettings: settings),
    .target(
      name: "AtrestTLS", dependencies: ["AtrestTrust", "AtrestFiles", "CAtrestOpenSSL"],
      path: "Sources/AtrestTLS", swiftSettings: settings),
    .target(
      name: "AtrestRPC",
      dependencies: [
        "AtrestLedger", "AtrestHTTP2", "AtrestSockets", "AtrestTLS",
        .product(name: "CoreMetrics", package: "swift-metrics"),
      ],
      path: "Sources/AtrestRPC", swiftSettings: settings),

    // The server.
    // Sessions with PostgreSQL on the shards.
    .target(
      name: "AtrestPostgreSQL", dependencies: ["AtrestHTTP2", "AtrestSockets", "CAtrestPQ"],
      path: "Server/AtrestPostgreSQL", swiftSettings: settings),
    // Metrics for Prometheus: a backend of swift-metrics, and who serves it.
    .target(
      name: "AtrestMetrics",
      dependencies: [
        "AtrestHTTP2", "AtrestSockets", .product(name: "CoreMetrics", package: "swift-metrics"),
      ], path: "Server/AtrestMetrics", swiftSettings: settings),
    .target(
      name: "AtrestServer",
      dependencies: [
        "AtrestCrypto", "AtrestDomain", "AtrestEntitlements", "AtrestFiles", "AtrestFoundation",
        "AtrestLedger",
        "AtrestPostgreSQL", "AtrestReplication", "AtrestProtocol", "AtrestHTTP2", "AtrestSockets",
        "AtrestRPC", "AtrestTLS", "AtrestWire",
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "GRDBSQLite", package: "GRDB.swift"),
        .product(name: "CoreMetrics", package: "swift-metrics"),
        .product(name: "Logging", package: "swift-log"),
      ], path: "Server/AtrestServer", swiftSettings: settings),
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
      ], path: "Server/atrest-syncd", swiftSettings: settings),

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
      ], path: "Client/AtrestClient", swiftSettings: settings),

    // What programs for the terminal share.
    .target(
      name: "AtrestCompanion",
      dependencies: [
        "AtrestClient", "AtrestCommandLine", "AtrestDomain", "AtrestFoundation",
        "AtrestPortability", "AtrestReplication", "AtrestSync", "AtrestWire",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ], path: "Client/AtrestCompanion", swiftSettings: settings),

    // Words for the garden's kinds, for both programs: one account may hold fasts and a garden.
    .target(
      name: "TrunkVocabulary", dependencies: ["AtrestCompanion", "TrunkDomain"],
      path: "Client/TrunkVocabulary", packageAccess: false, swiftSettings: settings),
    .executableTarget(
      name: "atrest",
      dependencies: [
        "AtrestClient", "AtrestDomain", "AtrestFiles", "AtrestFoundation",
        "AtrestPresentation", "AtrestEntitlements", "AtrestPortability", "AtrestReplication",
        "AtrestSync", "AtrestWire",
        "AtrestCommandLine", "AtrestCompanion", "TrunkVocabulary",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ], path: "Client/atrest", swiftSettings: settings),
    .executableTarget(
      name: "trunk",
      dependencies: [
        "AtrestCompanion", "AtrestPresentation", "TrunkDomain", "TrunkPresentation",
        "TrunkVocabulary",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ], path: "Client/trunk", packageAccess: false, swiftSettings: settings),

    // The lab: scenarios of conflicting edits, played on a real server and real replicas.
    .target(
      name: "AtrestLab",
      dependencies: [
        "AtrestServer", "AtrestClient", "AtrestDomain", "AtrestFoundation", "AtrestSockets",
        "AtrestRPC", "AtrestReplication", "AtrestSync", "AtrestProtocol", "AtrestWire",
        "TrunkDomain",
        .product(name: "Logging", package: "swift-log"),
        .product(name: "Yams", package: "Yams"),
      ], path: "Lab/AtrestLab", swiftSettings: settings),
    .executableTarget(
      name: "atrest-lab",
      dependencies: [
        "AtrestCompanion", "AtrestLab",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ], path: "Lab/atrest-lab", swiftSettings: settings),

    // The code that the documentation shows, with no more access than an app has.
    .executableTarget(
      name: "examples",
      dependencies: [
        "AtrestClient", "AtrestCompanion", "AtrestHTTP2", "AtrestRPC", "AtrestSockets", "AtrestTLS",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ], path: "Examples/Snippets", packageAccess: false, swiftSettings: settings),

    // An app with a kind of record of its own.
    .executableTarget(
      name: "mood",
      dependencies: ["AtrestClient"], path: "Examples/Mood", exclude: ["run"], packageAccess: false,
      swiftSettings: settings),

    // Specifications.
    // Stands in for fsync in the tests, and tells what was synced.
    .target(name: "CAtrestSyncProbe", path: "Tests/Support/SyncProbe"),
    .target(
      name: "AtrestTestSupport", dependencies: ["AtrestReplication", "CAtrestSyncProbe"],
      path: "Tests/Support/Swift",
      swiftSettings: settings),
    .testTarget(
      name: "AtrestDomainTests",
      dependencies: [
        "AtrestDomain", "AtrestFoundation", "AtrestReplication", "AtrestTestSupport",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "AtrestFoundationTests",
      dependencies: [
        "AtrestDomain", "AtrestFoundation", "AtrestReplication", "AtrestTestSupport",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "AtrestPresentationTests",
      dependencies: [
        "AtrestPresentation", "AtrestDomain", "AtrestReplication", "AtrestWire",
        "AtrestTestSupport",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "AtrestWebTests",
      dependencies: ["AtrestDomain", "AtrestReplication", "AtrestSync", "AtrestWeb", "AtrestWire"],
      swiftSettings: settings),
    // Writes the pictures of docs/use/gallery: see Scripts/gallery.
    .executableTarget(
      name: "gallery",
      dependencies: [
        "AtrestPresentation", "AtrestDomain", "AtrestReplication", "TrunkDomain",
        "TrunkPresentation",
      ],
      path: "Tests/Gallery", swiftSettings: settings),
    // What the App Store would sign, by an authority of the tests' own.
    .target(
      name: "AtrestAppStore",
      dependencies: [
        "AtrestEntitlements", "AtrestReplication", "CAtrestOpenSSL",
      ], path: "Tests/AppStore", swiftSettings: settings),
    // Every public message, and the law that both of its codecs agree.
    .target(
      name: "AtrestWireCases",
      dependencies: [
        "AtrestDomain", "AtrestReplication", "AtrestProtocol", "AtrestWire", "AtrestTestSupport",
      ], path: "Tests/WireCases", swiftSettings: settings),
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
      ], path: "Tests/Fuzz/Library", swiftSettings: settings),
    .testTarget(
      name: "AtrestCryptoTests",
      dependencies: ["AtrestAppStore", "AtrestCrypto", "AtrestTestSupport", "CAtrestOpenSSL"],
      swiftSettings: settings),
    .testTarget(
      name: "AtrestEntitlementsTests",
      dependencies: [
        "AtrestAppStore", "AtrestCrypto", "AtrestEntitlements", "AtrestDomain",
        "AtrestFoundation", "AtrestReplication", "AtrestTestSupport",
      ], swiftSettings: settings),
    .testTarget(
      name: "TrunkDomainTests",
      dependencies: [
        "TrunkDomain", "AtrestDomain", "AtrestReplication", "AtrestWire", "AtrestTestSupport",
      ], packageAccess: false, swiftSettings: settings),
    .testTarget(
      name: "TrunkPresentationTests",
      dependencies: [
        "TrunkPresentation", "TrunkDomain", "AtrestPresentation", "AtrestDomain",
        "AtrestReplication", "AtrestTestSupport",
      ], packageAccess: false, swiftSettings: settings),
    .testTarget(
      name: "AtrestReplicationTests", dependencies: ["AtrestReplication", "AtrestTestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "AtrestWireTests",
      dependencies: [
        "AtrestCrypto", "AtrestWire", "AtrestWireCases", "AtrestProtocol", "AtrestFoundation",
        "AtrestDomain",
        "AtrestReplication",
        "AtrestTestSupport",
      ], swiftSettings: settings),
    .testTarget(
      name: "AtrestProtocolTests",
      dependencies: [
        "AtrestDomain", "AtrestProtocol", "AtrestWire", "AtrestWireCases", "AtrestReplication",
        "AtrestTestSupport",
      ], swiftSettings: settings),
    .testTarget(
      name: "AtrestFilesTests", dependencies: ["AtrestFiles", "AtrestTestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "AtrestLedgerTests", dependencies: ["AtrestLedger", "AtrestTestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "AtrestHTTP2Tests",
      dependencies: ["AtrestHTTP2", "CAtrestNghttp2", "AtrestTestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "AtrestSocketsTests",
      dependencies: ["AtrestSockets", "AtrestHTTP2", "AtrestTestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "AtrestRPCTests",
      dependencies: [
        "AtrestRPC", "AtrestSockets", "AtrestLedger", "AtrestHTTP2", "AtrestTestSupport",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "AtrestTLSTests",
      dependencies: [
        "AtrestTrust", "AtrestTLS", "CAtrestOpenSSL", "AtrestRPC", "AtrestSockets",
        "AtrestHTTP2", "AtrestTestSupport",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "AtrestPostgreSQLTests",
      dependencies: [
        "AtrestPostgreSQL", "AtrestSockets", "AtrestHTTP2", "AtrestTestSupport",
      ], swiftSettings: settings),
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
      ], swiftSettings: settings),
    .testTarget(
      name: "AtrestSyncTests",
      dependencies: ["AtrestSync", "AtrestReplication", "AtrestWire", "AtrestTestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "AtrestClientTests",
      dependencies: [
        "AtrestAppStore", "AtrestClient", "AtrestDomain", "AtrestEntitlements", "AtrestFoundation",
        "AtrestReplication", "AtrestSync", "AtrestHTTP2", "AtrestSockets", "AtrestRPC",
        "AtrestTestSupport", "AtrestWire",
        .product(name: "GRDB", package: "GRDB.swift"),
      ], swiftSettings: settings),
    .testTarget(
      name: "AtrestPortabilityTests",
      dependencies: [
        "AtrestClient", "AtrestDomain", "AtrestFoundation", "AtrestFuzzing", "AtrestPortability",
        "AtrestReplication", "AtrestTestSupport", "AtrestTransfer", "AtrestWire",
      ], exclude: ["Python"], swiftSettings: settings),
    .testTarget(
      name: "AtrestCompanionTests",
      dependencies: [
        "AtrestClient", "AtrestCommandLine", "AtrestCompanion", "AtrestReplication", "AtrestSync",
        "AtrestTestSupport",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ], swiftSettings: settings),
    .testTarget(
      name: "AtrestTests",
      dependencies: [
        "AtrestAppStore", "atrest", "AtrestClient", "AtrestCompanion", "AtrestDomain",
        "AtrestFoundation", "AtrestReplication", "AtrestSync", "AtrestCommandLine",
        "AtrestTestSupport", "AtrestWire",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ], swiftSettings: settings),
    .testTarget(
      name: "TrunkTests",
      dependencies: ["trunk", "AtrestCompanion", "AtrestTestSupport", "TrunkDomain"],
      packageAccess: false, swiftSettings: settings),
    .testTarget(
      name: "AtrestSyncdTests",
      dependencies: [
        "atrest-syncd", "AtrestCommandLine", "AtrestProtocol", "AtrestServer", "AtrestTLS",
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: settings),
    .testTarget(
      name: "AtrestMetricsTests",
      dependencies: [
        "AtrestMetrics", "AtrestHTTP2", "AtrestSockets",
        .product(name: "CoreMetrics", package: "swift-metrics"),
      ],
      swiftSettings: settings),
    .testTarget(
      name: "AtrestLabTests",
      dependencies: [
        "AtrestLab", "atrest-lab", "AtrestCommandLine", "AtrestClient", "AtrestDomain",
        "AtrestReplication", "AtrestTestSupport",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "Integration",
      dependencies: [
        "AtrestServer", "AtrestClient", "AtrestDomain", "AtrestFoundation", "AtrestHTTP2",
        "AtrestPostgreSQL", "AtrestSockets", "AtrestRPC", "AtrestReplication", "AtrestSync",
        "AtrestProtocol", "AtrestTestSupport", "AtrestWire",
        .product(name: "Logging", package: "swift-log"),
      ], swiftSettings: settings),

    // What the portable core computes, on Linux here and as WebAssembly by Scripts/portable-core.
    .target(
      name: "AtrestPortableCases",
      dependencies: [
        "AtrestDomain", "AtrestPresentation", "AtrestReplication", "AtrestSync", "AtrestWire",
      ],
      path: "Tests/Portable/Cases", swiftSettings: settings),
    .testTarget(
      name: "AtrestPortableTests", dependencies: ["AtrestPortableCases"],
      path: "Tests/Portable/Specifications", swiftSettings: settings),

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
      ], path: "Tests/Simulation/Library", swiftSettings: settings),
    .executableTarget(
      name: "simulate", dependencies: ["AtrestSimulation", "AtrestReplication"],
      path: "Tests/Simulation/Command", swiftSettings: settings),
    .testTarget(
      name: "AtrestSimulationTests",
      dependencies: [
        "AtrestSimulation", "AtrestClient", "AtrestServer", "AtrestReplication",
        "AtrestTestSupport",
      ],
      path: "Tests/Simulation/Specifications", swiftSettings: settings),

    // What peers have a process hold, against its heap: see docs/operate/limits.md.
    .target(name: "CAtrestHeapMeter", path: "Tests/Heap/Meter"),
    .executableTarget(
      name: "heap",
      dependencies: [
        "CAtrestHeapMeter", "AtrestSockets", "AtrestFuzzing", "AtrestRPC", "AtrestLedger",
        "AtrestHTTP2",
      ],
      path: "Tests/Heap/Property", swiftSettings: settings),
    // grpc's own test service, for clients of other implementations.
    .executableTarget(
      name: "interop-server", dependencies: ["AtrestRPC", "AtrestHTTP2", "AtrestSockets"],
      path: "Tests/Interop/Server", swiftSettings: settings),
    // Both codecs side by side: see docs/develop/benchmarks.md.
    .executableTarget(
      name: "codec-bench", dependencies: ["AtrestProtocol", "AtrestWire", "AtrestReplication"],
      path: "Benchmarks/Codec", swiftSettings: settings),
    // What is derived from a large garden, measured by itself.
    .executableTarget(
      name: "garden-bench",
      dependencies: ["AtrestReplication", "AtrestDomain", "TrunkDomain", "TrunkPresentation"],
      path: "Benchmarks/Garden", swiftSettings: settings),
    // Replays the corpus of the fuzzers.
    .testTarget(
      name: "AtrestFuzzTests", dependencies: ["AtrestFuzzing", "AtrestTestSupport"],
      path: "Tests/Fuzz/Specifications", swiftSettings: settings),
  ]
)

// `Scripts/check` builds the tests that can see a change, and no others.
if let wanted = Context.environment["ATREST_TESTS"]?.split(separator: ",").map(String.init) {
  package.targets.removeAll { $0.isTest && !wanted.contains($0.name) }
}

if let fuzzer {
  package.targets += [
    .target(name: "CAtrestFuzzer", path: "Tests/Fuzz/Driver"),
    .executableTarget(
      name: "fuzz", dependencies: ["CAtrestFuzzer", "AtrestFuzzing"], path: "Tests/Fuzz/Command",
      swiftSettings: settings,
      linkerSettings: [
        .unsafeFlags(["-use-ld=lld", "-Xlinker", fuzzer]), .linkedLibrary("stdc++"),
      ]),
  ]
}
