// swift-tools-version: 6.3

import PackageDescription

// Measures a type of your own beside those of weak-collections; `scripts/test-example` runs it. The
// dependency has a name because the identity of a path is the name of the clone's folder.
let package = Package(
  name: "measure-your-type",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "weak-collections", path: "../..")],
  targets: [
    .executableTarget(
      name: "MeasureYourType",
      dependencies: [
        .product(name: "Benchmarking", package: "weak-collections"),
        .product(name: "WeakCollections", package: "weak-collections"),
      ])
  ]
)
