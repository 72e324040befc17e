// swift-tools-version: 6.3

import PackageDescription

// A server that reports its own leaks; `scripts/test-server` runs it under load. The dependency has
// a name because the identity of a path is the name of the clone's folder.
let package = Package(
  name: "monitored-server",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "weak-collections", path: "../.."),
    .package(url: "https://github.com/apple/swift-nio", from: "2.80.0"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.5.0"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
  ],
  targets: [
    .executableTarget(
      name: "EchoServer",
      dependencies: [
        .product(name: "LeakMonitoring", package: "weak-collections"),
        .product(name: "LeakMonitoringReporters", package: "weak-collections"),
        .product(name: "RuntimeInspection", package: "weak-collections"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "Metrics", package: "swift-metrics"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ])
  ]
)
