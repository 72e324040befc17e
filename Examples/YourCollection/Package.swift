// swift-tools-version: 6.3

import PackageDescription

// A collection of your own, tested and measured with weak-collections; `scripts/test-example` runs
// it. The dependency has a name because the identity of a path is the name of the clone's folder.
let package = Package(
  name: "your-collection",
  platforms: [.macOS(.v15)],
  traits: [
    .trait(name: "SeededFault", description: "A fault that the tests must find."),
    .default(enabledTraits: []),
  ],
  dependencies: [.package(name: "weak-collections", path: "../..")],
  targets: [
    .target(
      name: "YourCollection",
      dependencies: [.product(name: "WeakCollections", package: "weak-collections")],
      // Lets the benchmark specialize the collection; without it, witness tables are measured.
      swiftSettings: [
        .unsafeFlags(["-cross-module-optimization"], .when(configuration: .release))
      ]),
    .testTarget(
      name: "YourCollectionTests",
      dependencies: [
        "YourCollection",
        .product(name: "ContractTesting", package: "weak-collections"),
        .product(name: "StressTesting", package: "weak-collections"),
      ]),
    .executableTarget(
      name: "measure",
      dependencies: [
        "YourCollection",
        .product(name: "BenchmarkProgram", package: "weak-collections"),
        .product(name: "Benchmarking", package: "weak-collections"),
      ]),
  ]
)
