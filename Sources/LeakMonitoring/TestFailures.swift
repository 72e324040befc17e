import WeakCollections

#if canImport(Darwin)
  import Darwin
#endif

/// How leaks become failures of the running test: `LeakTesting`, which only test targets link, installs it.
/// So no program links a test library for its leak monitor.
package enum TestFailures {
  private static let recorder = MutexLock<(@Sendable (LeakReport) -> Void)?>(nil)

  /// Takes what records a leak, and switches monitors on: a test that links `LeakTesting` is about leaks,
  /// optimized or not.
  package static func install(_ record: @escaping @Sendable (LeakReport) -> Void) {
    recorder.write { $0 = record }
    MemoryLeakMonitor.isEnabled = true
  }

  /// What records a leak; nil unless `LeakTesting` is linked.
  static var installed: (@Sendable (LeakReport) -> Void)? { recorder.read { $0 } }

  /// Whether this process was started to run tests.
  static let isTesting: Bool = {
    #if canImport(Darwin)
      let variables = ["ConfigurationFilePath", "SessionIdentifier", "BundlePath"]
      if variables.contains(where: { getenv("XCTest\($0)") != nil }) { return true }
    #endif
    return CommandLine.arguments.contains { argument in
      argument == "--testing-library" || argument.hasSuffix(".xctest")
        || argument.hasSuffix("/xctest") || argument.hasSuffix("swiftpm-testing-helper")
    }
  }()
}
