// swift-tools-version: 6.3

import PackageDescription

let package = Package(
  name: "weak-collections",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "WeakCollections", targets: ["WeakCollections"]),
    .library(name: "EpochReclamation", targets: ["EpochReclamation"]),
    .library(name: "Choosing", targets: ["Choosing"]),
    .library(name: "LeakMonitoring", targets: ["LeakMonitoring"]),
    .library(name: "LeakMonitoringReporters", targets: ["LeakMonitoringReporters"]),
    .library(name: "LeakTesting", targets: ["LeakTesting"]),
    .library(name: "RuntimeInspection", targets: ["RuntimeInspection"]),
    .library(name: "Linearizability", targets: ["Linearizability"]),
    .library(name: "Interleaving", targets: ["Interleaving"]),
    .library(name: "StressTesting", targets: ["StressTesting"]),
    .library(name: "ContractTesting", targets: ["ContractTesting"]),
    .library(name: "Benchmarking", targets: ["Benchmarking", "Measurements", "Workloads"]),
    .library(name: "BenchmarkProgram", targets: ["BenchmarkProgram"]),
    .executable(name: "weakbench", targets: ["weakbench"]),
    .executable(name: "weakstress", targets: ["weakstress"]),
    .executable(name: "leakwatch", targets: ["leakwatch"]),
    .executable(name: "findleaks", targets: ["findleaks"]),
    .plugin(name: "LeaksPlugin", targets: ["LeaksPlugin"]),
  ],
  traits: [
    .trait(
      name: "BarrierQueueBackend",
      description: "AtomicWeakArray and AtomicDictionary are the ones behind a dispatch queue."),
    .trait(
      name: "MutexBackend",
      description: "AtomicWeakArray and AtomicDictionary are the ones behind Synchronization.Mutex."
    ),
    .trait(
      name: "ReadWriteLockBackend",
      description:
        "AtomicWeakArray and AtomicDictionary are the ones behind a POSIX read-write lock."),
    .trait(
      name: "ActorBackend",
      description:
        "makeWeakArray and makeDictionary return actors; the Atomic names stay synchronous."),
    .trait(
      name: "AdaptiveLockBackend",
      description: "AtomicWeakArray and AtomicDictionary are the ones behind a lock of our own."),
    .trait(
      name: "StripedLockBackend",
      description:
        "AtomicDictionary is the one in stripes with locks; AtomicWeakArray has one such lock."),
    .trait(
      name: "BucketLockBackend",
      description:
        "AtomicDictionary is the one with a lock in each bucket; AtomicWeakArray is lock-free."),
    .trait(
      name: "LockFreeBackend",
      description: "AtomicWeakArray and AtomicDictionary are the lock-free ones."),
    .trait(
      name: "WeakBoxes",
      description:
        "For tests: on Linux too, no unowned counts, membarrier, futex or search for holders."),
    .trait(
      name: "InternalChecks",
      description: "Checks of invariants after every mutation, for tests. Slow."),
    .trait(
      name: "Interleaving",
      description:
        "Every step of the lock-free code goes through a scheduler that a test controls. Slow."),
    .trait(
      name: "Peers",
      description:
        "Compares with other languages' maps (needs libtbb-dev, liburcu-dev and a C++ compiler)."),
    .trait(name: "Jemalloc", description: "Measure bytes with jemalloc (needs libjemalloc-dev)."),
    .default(enabledTraits: []),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", from: "0.2.0"),
    // For the product LeakMonitoringReporters alone: who does not use that does not compile them.
    .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.5.0"),
  ],
  targets: [
    // What both halves need.
    .target(name: "SeededRandom", path: "Sources/Support/SeededRandom"),
    .target(name: "Charts", path: "Sources/Support/Charts"),
    .target(name: "Threading", dependencies: ["Primitives"], path: "Sources/Support/Threading"),
    .target(name: "Spelling", path: "Sources/Support/Spelling"),
    .target(
      name: "TerminalIO",
      dependencies: [
        "Charts", "Spelling", .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Sources/Support/TerminalIO"),

    // The library.
    .target(
      name: "CShims",
      cSettings: [
        // For the one check that at most one of them is enabled.
        .define("BARRIER_QUEUE_BACKEND", .when(traits: ["BarrierQueueBackend"])),
        .define("MUTEX_BACKEND", .when(traits: ["MutexBackend"])),
        .define("READ_WRITE_LOCK_BACKEND", .when(traits: ["ReadWriteLockBackend"])),
        .define("ACTOR_BACKEND", .when(traits: ["ActorBackend"])),
        .define("ADAPTIVE_LOCK_BACKEND", .when(traits: ["AdaptiveLockBackend"])),
        .define("STRIPED_LOCK_BACKEND", .when(traits: ["StripedLockBackend"])),
        .define("BUCKET_LOCK_BACKEND", .when(traits: ["BucketLockBackend"])),
        .define("LOCK_FREE_BACKEND", .when(traits: ["LockFreeBackend"])),
        .define("INTERLEAVING", .when(traits: ["Interleaving"])),
        .define("WEAK_BOXES", .when(traits: ["WeakBoxes"])),
      ]),
    .target(name: "Primitives", dependencies: ["CShims"]),
    .target(name: "WeakReferences", dependencies: ["CShims", "Primitives"]),
    .target(name: "EpochReclamation", dependencies: ["Primitives"]),
    .target(
      name: "WeakCollections",
      dependencies: ["CShims", "EpochReclamation", "Primitives", "WeakReferences"]),
    .target(name: "Choosing", dependencies: ["Primitives", "WeakCollections"]),
    .target(name: "LeakReports", dependencies: ["CShims"]),
    // What reads the runtime's private parts, behind probes.
    .target(
      name: "CRuntimeInspection",
      cSettings: [.define("WEAK_BOXES", .when(traits: ["WeakBoxes"]))]),
    .target(
      name: "RuntimeInspection", dependencies: ["CRuntimeInspection", "LeakReports"]),
    .target(
      name: "LeakMonitoring",
      dependencies: [
        "CShims", "Choosing", "LeakReports", "Primitives", "RuntimeInspection",
        "WeakCollections", "WeakReferences",
      ]),
    .target(
      name: "LeakMonitoringReporters",
      dependencies: [
        "LeakMonitoring", "RuntimeInspection", "WeakCollections",
        .product(name: "Logging", package: "swift-log"),
        .product(name: "Metrics", package: "swift-metrics"),
      ]),
    .target(name: "CLeakTesting"),
    .target(
      name: "LeakTesting",
      dependencies: ["CLeakTesting", "LeakMonitoring", "RuntimeInspection", "WeakCollections"]),

    // `swift package leaks`: small, because every package that uses it builds it.
    .target(
      name: "SanitizerReports", dependencies: ["LeakReports"],
      resources: [.embedInCode("Suppressions/toolchain.txt")]),
    .executableTarget(
      name: "findleaks", dependencies: ["LeakReports", "RuntimeInspection", "SanitizerReports"],
      resources: [.embedInCode("Preload/main.c")]),
    .plugin(
      name: "LeaksPlugin",
      capability: .command(
        intent: .custom(
          verb: "leaks", description: "Runs a program or the tests and reports leaks.")),
      dependencies: ["findleaks"]),

    // Is it correct? Scenario -> execution -> history -> verdict.
    .target(
      name: "ContractTesting", dependencies: ["SeededRandom", "Threading", "WeakCollections"]),
    .target(name: "Linearizability"),
    .target(name: "CInterleaving"),
    .target(
      name: "Interleaving",
      dependencies: ["CInterleaving", "CShims", "Primitives", "SeededRandom", "Threading"]),
    .target(
      name: "StressTesting",
      dependencies: [
        "Charts", "EpochReclamation", "Interleaving", "Linearizability", "Primitives",
        "SeededRandom", "Threading", "WeakCollections",
      ]),
    .executableTarget(
      name: "weakstress",
      dependencies: [
        "Charts", "Linearizability", "StressTesting", "TerminalIO", "WeakCollections",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
    .executableTarget(
      name: "leakwatch",
      dependencies: [
        "Charts", "LeakMonitoring", "LeakReports", "RuntimeInspection", "TerminalIO",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),

    // Is it fast? Workload -> trial -> measurement -> CSV -> recommendation.
    .target(
      name: "Workloads", dependencies: ["SeededRandom", "Spelling"], path: "Benchmarks/Workloads"),
    .target(name: "Measurements", path: "Benchmarks/Measurements"),
    .systemLibrary(
      name: "CJemalloc", path: "Benchmarks/CJemalloc", pkgConfig: "jemalloc",
      providers: [.apt(["libjemalloc-dev"]), .brew(["jemalloc"])]),
    .target(
      name: "CAllocationCounting",
      dependencies: [.target(name: "CJemalloc", condition: .when(traits: ["Jemalloc"]))],
      path: "Benchmarks/CAllocationCounting",
      cSettings: [.define("JEMALLOC", .when(traits: ["Jemalloc"]))]),
    .target(name: "CPerformanceCounters", path: "Benchmarks/CPerformanceCounters"),
    .target(
      name: "CPeers",
      path: "Benchmarks/Peers",
      exclude: ["java"],
      cSettings: [.define("PEERS", .when(traits: ["Peers"]))],
      cxxSettings: [
        .define("PEERS", .when(traits: ["Peers"])),
        .unsafeFlags(["-O3"], .when(configuration: .release)),
      ],
      linkerSettings: ["tbb", "urcu-memb", "urcu-cds"].map { library in
        .linkedLibrary(library, .when(traits: ["Peers"]))
      }),
    .target(
      name: "Benchmarking",
      dependencies: [
        "CAllocationCounting", "CPeers", "CPerformanceCounters", "CShims", "EpochReclamation",
        "Measurements", "Primitives", "SeededRandom", "Threading", "WeakCollections", "Workloads",
        .product(name: "Histogram", package: "hdrhistogram-swift"),
      ],
      path: "Benchmarks/Benchmarking"),

    .target(
      name: "Reporting", dependencies: ["Charts", "Measurements", "TerminalIO"],
      path: "Benchmarks/Reporting"),
    // What the two executables below share: files of rows, noise, trials in other processes.
    .target(
      name: "BenchmarkCommands",
      dependencies: [
        "Benchmarking", "Charts", "Choosing", "Measurements", "Reporting", "SeededRandom",
        "TerminalIO", "WeakCollections", "Workloads",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Benchmarks/BenchmarkCommands"),
    // The program `weakbench`, which a package with its own collections runs too.
    .target(
      name: "BenchmarkProgram",
      dependencies: [
        "BenchmarkCommands", "Benchmarking", "Charts", "Choosing", "Measurements", "Primitives",
        "Reporting", "SeededRandom", "Spelling", "TerminalIO", "WeakCollections", "Workloads",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Benchmarks/BenchmarkProgram"),
    .executableTarget(
      name: "weakbench", dependencies: ["BenchmarkProgram"], path: "Benchmarks/weakbench"),
    // For maintainers of this package; not a product.
    .executableTarget(
      name: "benchlab",
      dependencies: [
        "BenchmarkCommands", "Benchmarking", "CShims", "Charts", "Choosing", "EpochReclamation",
        "Interleaving", "LeakMonitoring", "Linearizability", "Measurements", "Primitives",
        "Reporting", "SeededRandom", "StressTesting", "TerminalIO", "Threading", "WeakCollections",
        "Workloads",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Benchmarks/benchlab"),

    .target(
      name: "SeededTesting", dependencies: ["SeededRandom"], path: "Tests/SeededTesting"),
    .target(
      name: "ProgramTesting", dependencies: ["Measurements", "TerminalIO"],
      path: "Tests/ProgramTesting"),
    .testTarget(name: "PrimitivesTests", dependencies: ["Primitives"]),
    .testTarget(
      name: "WeakReferencesTests", dependencies: ["CShims", "Primitives", "WeakReferences"]),
    .target(name: "CForking", path: "Tests/CForking"),
    .testTarget(
      name: "EpochReclamationTests",
      dependencies: [
        "CForking", "EpochReclamation", "Primitives", "SeededTesting", "Threading",
      ]),
    .testTarget(
      name: "WeakCollectionsTests",
      dependencies: [
        "ContractTesting", "EpochReclamation", "Primitives", "SeededTesting", "Threading",
        "WeakCollections",
      ]),
    .testTarget(
      name: "ContractTestingTests", dependencies: ["ContractTesting", "WeakCollections"]),
    .testTarget(name: "PublishedExamplesTests", dependencies: ["WeakCollections"]),
    .testTarget(
      name: "ChoosingTests",
      dependencies: ["Choosing", "Primitives", "SeededTesting", "Threading", "WeakCollections"]),
    .target(
      name: "CRetainFaults", dependencies: ["CRuntimeInspection"], path: "Tests/CRetainFaults",
      cSettings: [.define("WEAK_BOXES", .when(traits: ["WeakBoxes"]))]),
    .testTarget(
      name: "RuntimeInspectionTests",
      dependencies: [
        "CForking", "CRetainFaults", "CRuntimeInspection", "LeakReports", "Primitives",
        "RuntimeInspection", "SeededTesting",
      ]),
    .testTarget(
      name: "SanitizerReportsTests", dependencies: ["SanitizerReports", "SeededTesting"],
      resources: [.copy("Reports")]),
    .testTarget(
      name: "LeakMonitoringTests",
      dependencies: [
        "Choosing", "LeakMonitoring", "LeakReports", "LeakTesting", "Primitives",
        "RuntimeInspection",
        "SeededTesting", "Threading", "WeakCollections",
      ]),
    .testTarget(
      name: "LeakMonitoringReportersTests",
      dependencies: [
        "LeakMonitoring", "LeakMonitoringReporters", "RuntimeInspection", "WeakCollections",
        .product(name: "CoreMetrics", package: "swift-metrics"),
        .product(name: "Logging", package: "swift-log"),
      ]),
    .testTarget(
      name: "LeakTestingTests",
      dependencies: [
        "LeakMonitoring", "LeakTesting", "RuntimeInspection", "SeededRandom", "Threading",
        "WeakCollections",
      ]),
    // The blocks of code that the documentation shows, and the traps that it names.
    .testTarget(
      name: "DocumentationTests",
      dependencies: [
        "Choosing", "ContractTesting", "Interleaving", "LeakMonitoring", "LeakMonitoringReporters",
        "LeakReports", "LeakTesting", "Linearizability", "RuntimeInspection", "SeededTesting",
        "StressTesting", "WeakCollections",
      ]),
    // The kinds of classes once more, where the main actor is everything's.
    .testTarget(
      name: "MainActorMonitoringTests", dependencies: ["LeakMonitoring", "LeakTesting"]),
    .testTarget(name: "SpellingTests", dependencies: ["Spelling"]),
    .testTarget(name: "ThreadingTests", dependencies: ["Threading"]),
    .testTarget(
      name: "LinearizabilityTests", dependencies: ["Linearizability", "SeededTesting"]),
    .testTarget(
      name: "InterleavingTests",
      dependencies: ["CShims", "Interleaving", "Primitives", "SeededTesting"]),
    // Classic structures with known defects: docs/corpus.md.
    .testTarget(
      name: "CorpusTests", dependencies: ["Interleaving", "SeededTesting", "StressTesting"]),
    .testTarget(
      name: "StressTestingTests",
      dependencies: [
        "EpochReclamation", "Interleaving", "Linearizability", "Primitives", "SeededTesting",
        "StressTesting", "Threading", "WeakCollections",
      ]),
    .testTarget(name: "WorkloadsTests", dependencies: ["SeededRandom", "Workloads"]),
    .testTarget(name: "ChartsTests", dependencies: ["Charts"]),
    .testTarget(
      name: "ReportingTests",
      dependencies: ["Charts", "Measurements", "Reporting", "SeededTesting", "TerminalIO"]),
    .testTarget(name: "MeasurementsTests", dependencies: ["Measurements", "SeededTesting"]),
    .testTarget(
      name: "BenchmarkingTests",
      dependencies: [
        "Benchmarking", "EpochReclamation", "Measurements", "Primitives", "SeededTesting",
        "Threading", "WeakCollections", "Workloads",
        .target(name: "CJemalloc", condition: .when(traits: ["Jemalloc"])),
      ]),
    .testTarget(
      name: "weakbenchTests",
      dependencies: [
        "BenchmarkCommands", "Benchmarking", "Charts", "Choosing", "Measurements", "Primitives",
        "BenchmarkProgram", "ProgramTesting", "Reporting", "SeededRandom", "SeededTesting",
        "TerminalIO", "WeakCollections", "Workloads", "weakbench",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
    .testTarget(
      name: "weakstressTests",
      dependencies: [
        "Linearizability", "ProgramTesting", "StressTesting", "TerminalIO", "WeakCollections",
        "weakstress",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
    .testTarget(
      name: "leakwatchTests",
      dependencies: [
        "Charts", "LeakMonitoring", "LeakReports", "ProgramTesting", "RuntimeInspection",
        "TerminalIO", "leakwatch",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
    .testTarget(
      name: "benchlabTests",
      dependencies: [
        "BenchmarkCommands", "Benchmarking", "Charts", "Choosing", "Interleaving",
        "Linearizability", "Measurements", "Primitives", "ProgramTesting", "Reporting",
        "SeededRandom", "SeededTesting", "StressTesting", "TerminalIO", "WeakCollections",
        "Workloads", "benchlab",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
  ],
  swiftLanguageModes: [.v6],
  cxxLanguageStandard: .cxx17
)

// What benchmarks time. `scripts/bench` builds with `-Onone`, so that dependencies and what only
// reads rows do not delay the first trial. These are optimized nevertheless: the front end obeys
// the last option. A module that is emitted in one step with its code has the bodies that others
// specialize.
let timed: Set = [
  "Primitives", "WeakReferences", "EpochReclamation", "WeakCollections", "SeededRandom",
  "Threading", "Workloads", "Benchmarking",
]
// Nothing is timed in these, so that to optimize them would only delay the first trial, also of a
// package that uses them.
let unoptimized: Set = [
  "Charts", "TerminalIO", "Reporting", "BenchmarkCommands", "BenchmarkProgram", "weakbench",
]
// Checkers, searches and statistics, which are most of the time of a test that uses them. They are
// optimized in a debug build too, for the tests of this package and of others.
let optimized: Set = ["Interleaving", "Linearizability", "Measurements"]

for target in package.targets where target.type != .system && target.type != .plugin {
  target.swiftSettings = [
    // The runtime tracks exclusive access by thread of the system; virtual threads share one.
    .unsafeFlags(["-enforce-exclusivity=unchecked"], .when(traits: ["Interleaving"])),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
  ]
  // Lets other modules specialize our generics; without it a benchmark times witness tables.
  var optimization = ["-cross-module-optimization"]
  if timed.contains(target.name) {
    optimization += ["-no-emit-module-separately-wmo", "-Xfrontend", "-O"]
  } else if unoptimized.contains(target.name) {
    optimization = ["-Onone"]
  }
  target.swiftSettings?.append(.unsafeFlags(optimization, .when(configuration: .release)))
  if optimized.contains(target.name) {
    target.swiftSettings?.append(
      .unsafeFlags(
        ["-O", "-whole-module-optimization", "-num-threads", "2"], .when(configuration: .debug)))
  }
  // Nothing is measured where the scheduler is compiled in; to optimize this takes ten minutes.
  if target.name == "Benchmarking" {
    target.swiftSettings?.append(
      .unsafeFlags(["-Xfrontend", "-Onone"], .when(traits: ["Interleaving"])))
  }
  if target.name == "MainActorMonitoringTests" {
    target.swiftSettings?.append(.defaultIsolation(MainActor.self))
  }
  // The published examples say `[MyDelegate]`, as many users do.
  if target.name != "PublishedExamplesTests" {
    target.swiftSettings?.append(.enableUpcomingFeature("ExistentialAny"))
  }
}

// `WEAK_COLLECTIONS_TESTS` names test targets, separated by spaces: a build then has only these
// and what they depend on.
if let names = Context.environment["WEAK_COLLECTIONS_TESTS"]?.split(separator: " ") {
  var needed: Set<String> = []
  func add(_ name: String) {
    guard let target = package.targets.first(where: { $0.name == name }),
      needed.insert(name).inserted
    else { return }
    for dependency in target.dependencies {
      switch dependency {
      case .targetItem(let name, _), .byNameItem(let name, _): add(name)
      default: break
      }
    }
  }
  names.forEach { add(String($0)) }
  package.targets.removeAll { !needed.contains($0.name) }
  package.products.removeAll { product in
    !package.targets.contains { $0.name == product.name }
  }
}
