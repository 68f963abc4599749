// swift-tools-version: 6.1
// The package: each target imports only targets above it in this file. See ARCHITECTURE.md.

import PackageDescription

/// `Tests/Fuzz/run` builds with `ATREST_FUZZER` naming libFuzzer's archive: our own modules then count what they run.
let fuzzer = Context.environment["ATREST_FUZZER"]
let coverage = "edge,trace-cmp,inline-8bit-counters,pc-table"

/// CI builds with `ATREST_STRICT=1`. Unsafe flags would bar other packages from depending on this one.
let strict: [SwiftSetting] =
  (Context.environment["ATREST_STRICT"] == nil ? [] : [.unsafeFlags(["-warnings-as-errors"])])
  + (fuzzer == nil ? [] : [.unsafeFlags(["-sanitize=address", "-sanitize-coverage=\(coverage)"])])

let package = Package(
  name: "atrest-sync",
  platforms: [.macOS(.v15)],
  products: [
    .library(
      name: "AtrestClient",
      targets: ["AtrestClient", "AtrestDomain", "Portability", "Replication"]),
    .library(
      name: "AtrestTransport",
      targets: ["Ledger", "Transport", "DispatchNet", "TLS", "GRPC", "SyncProtocol"]),
    .executable(name: "atrest-syncd", targets: ["atrest-syncd"]),
    .executable(name: "atrest", targets: ["atrest"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-asn1", from: "1.7.0"),
    .package(url: "https://github.com/apple/swift-certificates", from: "1.21.0"),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/jpsim/Yams", "5.0.1"..<"7.0.0"),
  ],
  targets: [
    // C libraries, one module each.
    .systemLibrary(
      name: "CProtobufC", path: "Sources/CProtobufC", pkgConfig: "libprotobuf-c",
      providers: [.apt(["libprotobuf-c-dev"])]),
    .systemLibrary(
      name: "CZlib", path: "Sources/CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    .systemLibrary(
      name: "CNghttp2", path: "Sources/CNghttp2", pkgConfig: "libnghttp2",
      providers: [.apt(["libnghttp2-dev"])]),
    .systemLibrary(
      name: "COpenSSL", path: "Sources/COpenSSL", pkgConfig: "openssl",
      providers: [.apt(["libssl-dev"])]),
    .systemLibrary(
      name: "CQRencode", path: "Sources/CQRencode", pkgConfig: "libqrencode",
      providers: [.apt(["libqrencode-dev"])]),
    .target(name: "CEpoll", path: "Sources/CEpoll"),
    .systemLibrary(name: "CMalloc", path: "Sources/CMalloc"),
    .target(name: "CSyncProtos", dependencies: ["CProtobufC"], path: "Sources/CSyncProtos"),

    // Libraries both sides share.
    .target(name: "AtrestDomain", path: "Sources/AtrestDomain", swiftSettings: strict),
    .target(
      name: "AtrestPictures", dependencies: ["AtrestDomain"], path: "Sources/AtrestPictures",
      swiftSettings: strict),
    .target(name: "Replication", path: "Sources/Replication", swiftSettings: strict),
    .target(
      name: "Entitlements",
      dependencies: [
        "AtrestDomain", "Replication",
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "SwiftASN1", package: "swift-asn1"),
        .product(name: "X509", package: "swift-certificates"),
      ], path: "Sources/Entitlements", swiftSettings: strict),
    .target(
      name: "SyncProtocol",
      dependencies: [
        "AtrestDomain", "Replication", "CProtobufC", "CSyncProtos",
        .product(name: "Crypto", package: "swift-crypto"),
      ],
      path: "Sources/SyncProtocol", swiftSettings: strict),
    // Files that people carry: exports and imports.
    .target(
      name: "Portability",
      dependencies: [
        "AtrestDomain", "Replication", "SyncProtocol",
        .product(name: "Crypto", package: "swift-crypto"),
      ], path: "Sources/Portability", swiftSettings: strict),
    // Who makes us hold how much.
    .target(name: "Ledger", path: "Sources/Ledger", swiftSettings: strict),
    .target(
      name: "Transport", dependencies: ["Ledger", "CNghttp2", "CZlib"], path: "Sources/Transport",
      swiftSettings: strict),
    .target(
      name: "DispatchNet", dependencies: ["Ledger", "Transport", "CEpoll"],
      path: "Sources/DispatchNet", swiftSettings: strict),
    .target(
      name: "TLS", dependencies: ["COpenSSL"], path: "Sources/TLS", swiftSettings: strict),
    .target(
      name: "GRPC", dependencies: ["Ledger", "Transport", "DispatchNet", "TLS"],
      path: "Sources/GRPC", swiftSettings: strict),

    // The server.
    .target(
      name: "AtrestServer",
      dependencies: [
        "AtrestDomain", "Entitlements", "Ledger", "Replication", "SyncProtocol", "Transport",
        "DispatchNet", "GRPC", "TLS",
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "GRDBSQLite", package: "GRDB.swift"),
        .product(name: "Logging", package: "swift-log"),
      ], path: "Server/AtrestServer", swiftSettings: strict),
    .executableTarget(
      name: "atrest-syncd",
      dependencies: [
        "AtrestServer", "CMalloc", "DispatchNet", "Entitlements", "GRPC", "Replication",
        "SyncProtocol", "TerminalSupport", "TLS", "Transport",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Logging", package: "swift-log"),
      ], path: "Server/atrest-syncd", swiftSettings: strict),

    // What both programs need of a terminal: its width, and pairing links as pictures.
    .target(
      name: "TerminalSupport", dependencies: ["CQRencode"], path: "Sources/TerminalSupport",
      swiftSettings: strict),

    // The client.
    .target(
      name: "AtrestClient",
      dependencies: [
        "AtrestDomain", "Entitlements", "Portability", "Replication", "SyncProtocol", "Transport",
        "DispatchNet", "GRPC", "TLS",
        .product(name: "GRDB", package: "GRDB.swift"),
      ], path: "Client/AtrestClient", swiftSettings: strict),

    // The lab: scenarios of conflicting edits, played on a real server and real replicas.
    .target(
      name: "AtrestLab",
      dependencies: [
        "AtrestServer", "AtrestClient", "AtrestDomain", "DispatchNet", "GRPC", "Replication",
        "SyncProtocol",
        .product(name: "Logging", package: "swift-log"),
        .product(name: "Yams", package: "Yams"),
      ], path: "Lab/AtrestLab", swiftSettings: strict),
    .executableTarget(
      name: "atrest",
      dependencies: [
        "AtrestClient", "AtrestDomain", "AtrestLab", "AtrestPictures", "DispatchNet",
        "Entitlements", "Portability", "Replication", "SyncProtocol", "TerminalSupport",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ], path: "Client/atrest", swiftSettings: strict),

    // Specifications.
    .target(name: "TestSupport", path: "Tests/Support", swiftSettings: strict),
    .testTarget(
      name: "AtrestDomainTests", dependencies: ["AtrestDomain", "TestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "AtrestPicturesTests", dependencies: ["AtrestPictures", "AtrestDomain", "TestSupport"],
      swiftSettings: strict),
    // Writes the pictures of docs/gallery: see Scripts/gallery.
    .executableTarget(
      name: "gallery", dependencies: ["AtrestPictures", "AtrestDomain"], path: "Tests/Gallery",
      swiftSettings: strict),
    // What the App Store would sign, by an authority of the tests' own.
    .target(
      name: "AppStore",
      dependencies: [
        "Entitlements", "Replication",
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "SwiftASN1", package: "swift-asn1"),
        .product(name: "X509", package: "swift-certificates"),
      ], path: "Tests/AppStore", swiftSettings: strict),
    .testTarget(
      name: "EntitlementsTests",
      dependencies: [
        "AppStore", "Entitlements", "AtrestDomain", "Replication", "TestSupport",
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "SwiftASN1", package: "swift-asn1"),
        .product(name: "X509", package: "swift-certificates"),
      ], swiftSettings: strict),
    .testTarget(
      name: "ReplicationTests", dependencies: ["Replication", "TestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "SyncProtocolTests",
      dependencies: ["SyncProtocol", "AtrestDomain", "Replication", "TestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "LedgerTests", dependencies: ["Ledger", "TestSupport"], swiftSettings: strict),
    .testTarget(
      name: "TransportTests", dependencies: ["Transport", "CNghttp2", "TestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "DispatchNetTests",
      dependencies: ["DispatchNet", "Transport", "CEpoll", "TestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "GRPCTests", dependencies: ["GRPC", "DispatchNet", "Ledger", "Transport"],
      swiftSettings: strict),
    .testTarget(
      name: "TLSTests",
      dependencies: ["TLS", "COpenSSL", "GRPC", "DispatchNet", "Transport", "TestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "AtrestServerTests",
      dependencies: [
        "AppStore", "AtrestServer", "AtrestDomain", "DispatchNet", "Entitlements", "GRPC",
        "Ledger", "Replication", "SyncProtocol", "TestSupport", "Transport",
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "Logging", package: "swift-log"),
      ], swiftSettings: strict),
    .testTarget(
      name: "AtrestClientTests",
      dependencies: [
        "AppStore", "AtrestClient", "AtrestDomain", "Entitlements", "Replication", "SyncProtocol",
        "TestSupport",
        .product(name: "GRDB", package: "GRDB.swift"),
      ], swiftSettings: strict),
    .testTarget(
      name: "PortabilityTests",
      dependencies: [
        "AtrestClient", "AtrestDomain", "Fuzzing", "Portability", "Replication", "SyncProtocol",
        "TestSupport", .product(name: "Crypto", package: "swift-crypto"),
      ], exclude: ["Python"], swiftSettings: strict),
    .testTarget(
      name: "AtrestTests",
      dependencies: [
        "AppStore", "atrest", "AtrestClient", "AtrestDomain", "AtrestPictures", "Replication",
        "SyncProtocol", "TerminalSupport", "TestSupport",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "LabTests",
      dependencies: [
        "AtrestLab", "atrest", "AtrestClient", "AtrestDomain", "Replication", "SyncProtocol",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "Integration",
      dependencies: [
        "AtrestServer", "AtrestClient", "AtrestDomain", "DispatchNet", "GRPC", "Replication",
        "SyncProtocol", "TestSupport",
        .product(name: "Logging", package: "swift-log"),
      ], swiftSettings: strict),

    // The deterministic simulator: see Tests/Simulation/README.md.
    .target(
      name: "CSimulatedDisk", path: "Tests/Simulation/Disk",
      linkerSettings: [.linkedLibrary("sqlite3")]),
    .target(
      name: "Simulation",
      dependencies: [
        "AtrestServer", "AtrestClient", "AtrestDomain", "CSimulatedDisk", "GRPC", "Replication",
        "SyncProtocol", "Transport",
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "Logging", package: "swift-log"),
      ], path: "Tests/Simulation/Library", swiftSettings: strict),
    .executableTarget(
      name: "simulate", dependencies: ["Simulation", "Replication"],
      path: "Tests/Simulation/Command", swiftSettings: strict),
    .testTarget(
      name: "SimulationTests",
      dependencies: ["Simulation", "AtrestClient", "AtrestServer", "Replication"],
      path: "Tests/Simulation/Specifications", swiftSettings: strict),

    // Fuzzers: their bodies, and the corpus as tests. See docs/fuzzing.md.
    .target(
      name: "Fuzzing",
      dependencies: [
        "AppStore", "AtrestClient", "AtrestDomain", "AtrestLab", "AtrestServer", "DispatchNet",
        "Entitlements", "Portability", "Replication", "SyncProtocol", "TLS", "Transport",
        .product(name: "Crypto", package: "swift-crypto"),
      ], path: "Tests/Fuzz/Library", swiftSettings: strict),
    // What peers have a process hold, against its heap: see docs/limits.md.
    .target(name: "CHeapMeter", path: "Tests/Heap/Meter"),
    .executableTarget(
      name: "heap",
      dependencies: ["CHeapMeter", "DispatchNet", "Fuzzing", "GRPC", "Ledger", "Transport"],
      path: "Tests/Heap/Property", swiftSettings: strict),
    .testTarget(
      name: "FuzzTests", dependencies: ["Fuzzing", "TestSupport"],
      path: "Tests/Fuzz/Specifications", swiftSettings: strict),
  ]
)

if let fuzzer {
  package.targets += [
    .target(name: "CFuzzer", path: "Tests/Fuzz/Driver"),
    .executableTarget(
      name: "fuzz", dependencies: ["CFuzzer", "Fuzzing"], path: "Tests/Fuzz/Command",
      swiftSettings: strict,
      linkerSettings: [
        .unsafeFlags(["-use-ld=lld", "-Xlinker", fuzzer]), .linkedLibrary("stdc++"),
      ]),
  ]
}
