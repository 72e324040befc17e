// swift-tools-version: 6.3

import PackageDescription

// A package that uses weak-collections as others do; `scripts/test-consumer` runs it. The
// dependency has a name because the identity of a path is the name of the clone's folder.
let package = Package(
  name: "consumer",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "weak-collections", path: "../..", traits: ["MutexBackend"])
  ],
  targets: [
    .testTarget(
      name: "ConsumerTests",
      dependencies: [.product(name: "WeakCollections", package: "weak-collections")])
  ]
)
