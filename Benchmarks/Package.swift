// swift-tools-version: 6.1
// The load generator: a package of its own, so that nothing here is shipped.

import PackageDescription

let package = Package(
  name: "atrest-benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "atrest-sync", path: "..")],
  targets: [
    .executableTarget(
      name: "atrest-bench",
      dependencies: [
        .product(name: "AtrestClient", package: "atrest-sync"),
        .product(name: "AtrestTransport", package: "atrest-sync"),
      ])
  ]
)
