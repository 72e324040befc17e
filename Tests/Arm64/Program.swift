import Glibc
import LeakMonitoring
import Primitives
import StressTesting
import Synchronization
import WeakCollections

// The program of scripts/test-arm64.
//
//   program contracts         checks the contracts of every backend, those of Tests/
//                             WeakCollectionsTests/ContractCases.swift, and a monitor
//   program stress SECONDS    runs the stress harness on every collection

/// A class with more instances than it may have.
private final class Screen: Sendable {}

private final class Reports: LeakReporter {
  let messages = Synchronization.Mutex<[String]>([])
  func report(_ leak: LeakReport) { messages.withLock { $0.append(leak.message) } }
}

@main enum Program {
  private static func checkContracts() async throws -> [String] {
    var breaches: [String] = [], count = 0
    func check(_ name: String, _ body: () async throws -> [String]) async throws {
      count += 1
      breaches += try await body().map { "\(name): \($0)" }
    }
    for conserving in [false, true] {
      for contract in ContractCase<DictionaryItems>.all(conserving: conserving) {
        try await check(contract.description, contract.breaches)
      }
      for contract in ContractCase<WeakItems>.arrays(conserving: conserving) {
        try await check(contract.description, contract.breachesOfArray)
      }
      for contract in ContractCase<WeakItems>.sets(conserving: conserving) {
        try await check(contract.description, contract.breachesOfSet)
      }
    }
    for contract in ContractCase<WeakValueBackend>.all {
      try await check(contract.description, contract.breaches)
    }
    print("\(count) contracts checked, \(breaches.count) broken")
    return breaches
  }

  private static func checkMonitor() async -> [String] {
    let reports = Reports(), monitor = MemoryLeakMonitor()
    monitor.reporter = reports
    let screens = [Screen(), Screen()]
    for screen in screens { monitor.validate(screen, max: 1) }
    await monitor.settle()
    let found = withExtendedLifetime(screens) { reports.messages.withLock { $0 } }
    print("the monitor reported: \(found.joined(separator: "; "))")
    return found.count == 1 && found[0].contains("2 instances") ? [] : ["the monitor"]
  }

  /// Runs at least one scenario of each pair of a collection and a driver.
  private static func stress(seconds: Int) async -> [String] {
    var cells = BackendCatalog.subjects.flatMap { subject in
      StressDriver.allCases.filter { $0.isAvailable && $0.supports(subject) }
        .map { $0.cell(for: subject, seed: 1) }
    }
    var total = StressTally()
    let end = ContinuousClock.now + .seconds(seconds)
    repeat {
      for index in cells.indices {
        let result = await cells[index].tryNext()
        total += result.tally
        if let finding = result.finding { return [finding.title, finding.replayCommand] }
      }
    } while ContinuousClock.now < end
    print(
      "stress: \(cells.count) pairs of collection and driver, \(total.scenarios) scenarios, "
        + "\(total.operations) operations, \(total.histories) histories checked")
    return []
  }

  static func main() async throws {
    let arguments = CommandLine.arguments.dropFirst()
    print("architecture: \(Host.architecture), membarrier: \(AsymmetricBarrier.isSupported)")
    var failures: [String] = []
    if arguments.first == "contracts" {
      failures = try await checkContracts()
      failures += await checkMonitor()
    } else if arguments.count == 2, let seconds = arguments.last.flatMap({ Int($0) }) {
      failures = await stress(seconds: seconds)
    } else {
      failures = ["the arguments \(Array(arguments))"]
    }
    for failure in failures { print("FAILED: \(failure)") }
    exit(failures.isEmpty ? 0 : 1)
  }
}
