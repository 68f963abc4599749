// swift-tools-version: 6.1
// Runs AtrestClient on grpc-swift: a package of its own, so that nobody else builds SwiftNIO.

import PackageDescription

/// As in the package above.
let strict: [SwiftSetting] =
  Context.environment["ATREST_STRICT"] == nil ? [] : [.unsafeFlags(["-warnings-as-errors"])]

let package = Package(
  name: "atrest-grpc-swift",
  platforms: [.iOS(.v18), .macOS(.v15)],
  products: [.library(name: "AtrestGRPCSwift", targets: ["AtrestGRPCSwift"])],
  dependencies: [
    .package(name: "atrest-sync", path: "../.."),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.96.0"),
    .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.34.0"),
    .package(url: "https://github.com/grpc/grpc-swift-2", from: "2.4.3"),
    .package(url: "https://github.com/grpc/grpc-swift-nio-transport", from: "2.9.2"),
  ],
  targets: [
    .target(
      name: "AtrestGRPCSwift",
      dependencies: [
        .product(name: "AtrestClient", package: "atrest-sync"),
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "GRPCCore", package: "grpc-swift-2"),
        .product(name: "GRPCNIOTransportHTTP2Posix", package: "grpc-swift-nio-transport"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"),
      ], swiftSettings: strict),
    // What `run` has the transport show, against a server and the transport of Linux.
    .executableTarget(
      name: "adapter-check",
      dependencies: [
        "AtrestGRPCSwift", .product(name: "AtrestClient", package: "atrest-sync"),
      ], swiftSettings: strict),
  ]
)
