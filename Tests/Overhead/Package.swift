// swift-tools-version: 6.3

import PackageDescription

// Measures what LeakTesting costs the tests that use it; `scripts/overhead` runs it. The dependency
// has a name because the identity of a path is the name of the clone's folder.
let package = Package(
  name: "overhead",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "weak-collections", path: "../..")],
  targets: [
    .executableTarget(name: "heapload"),
    .testTarget(
      name: "OverheadTests",
      dependencies: ["heapload"]
        + ["LeakMonitoring", "LeakTesting", "RuntimeInspection"].map { product in
          .product(name: product, package: "weak-collections")
        }),
  ]
)
