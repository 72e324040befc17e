// swift-tools-version: 6.3

import PackageDescription

// A package that leaks, which `swift package leaks` must report; `scripts/test-leaks` runs it. The
// dependency has a name because the identity of a path is the name of the clone's folder.
let package = Package(
  name: "leaky",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "weak-collections", path: "../..")],
  targets: [
    .target(name: "Screens"),
    .target(name: "CJumps"),
    .executableTarget(name: "leaky", dependencies: ["CJumps", "Screens"]),
    .testTarget(name: "ScreensTests", dependencies: ["Screens"]),
  ]
)
