// swift-tools-version: 6.3

import PackageDescription

let backends: Set = [
  "ActorBackend", "AdaptiveLockBackend", "BarrierQueueBackend", "BucketLockBackend",
  "LockFreeBackend",
  "MutexBackend", "ReadWriteLockBackend", "StripedLockBackend",
]

func forwarded(_ backend: String) -> Package.Dependency.Trait {
  .trait(name: backend, condition: .when(traits: [backend]))
}

// A package that uses weak-collections as others do and selects a backend in its manifest, by a
// trait of its own; `scripts/test-backends` runs it. The dependency has
// a name because the identity of a path is the name of the clone's folder.
let package = Package(
  name: "consumer",
  platforms: [.macOS(.v15)],
  traits: Set(backends.map { Trait.trait(name: $0) } + [.default(enabledTraits: ["MutexBackend"])]),
  dependencies: [
    .package(
      name: "weak-collections", path: "../..",
      traits: Set(backends.map(forwarded)))
  ],
  targets: ["ConsumerTests", "PublishedExamplesTests"].map { name in
    .testTarget(
      name: name,
      dependencies: ["WeakCollections", "EpochReclamation"].map {
        .product(name: $0, package: "weak-collections")
      })
  }
)
