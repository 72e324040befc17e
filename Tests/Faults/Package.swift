// swift-tools-version: 6.3

// The package that `scripts/test-faults` builds in a scratch folder: the modules below the search
// with every seeded fault compiled in, and the program that searches for them. Not a package of
// this repository.

import PackageDescription

let package = Package(
  name: "faults",
  platforms: [.macOS(.v15)],
  targets: [
    .target(name: "CShims", cSettings: [.define("INTERLEAVING")]),
    .target(name: "Primitives", dependencies: ["CShims"]),
    .target(name: "WeakReferences", dependencies: ["CShims", "Primitives"]),
    .target(name: "EpochReclamation", dependencies: ["Primitives"]),
    .target(
      name: "WeakCollections",
      dependencies: ["CShims", "EpochReclamation", "Primitives", "WeakReferences"]),
    .target(name: "SeededRandom", path: "Sources/Support/SeededRandom"),
    .target(name: "Charts", path: "Sources/Support/Charts"),
    .target(name: "Threading", dependencies: ["Primitives"], path: "Sources/Support/Threading"),
    .target(name: "Linearizability"),
    .target(name: "CInterleaving"),
    .target(
      name: "Interleaving", dependencies: ["CInterleaving", "CShims", "Primitives", "Threading"]),
    .target(
      name: "StressTesting",
      dependencies: [
        "Charts", "EpochReclamation", "Interleaving", "Linearizability", "Primitives",
        "SeededRandom", "Threading", "WeakCollections",
      ]),
    .executableTarget(
      name: "search",
      dependencies: [
        "EpochReclamation", "Interleaving", "Primitives", "SeededRandom", "StressTesting",
        "WeakCollections",
      ]),
  ],
  swiftLanguageModes: [.v6]
)

for target in package.targets {
  target.swiftSettings = [
    .define("Interleaving"),
    .unsafeFlags(["-enforce-exclusivity=unchecked"]),
  ]
}
