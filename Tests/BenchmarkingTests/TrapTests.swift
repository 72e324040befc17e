import Benchmarking
import Measurements
import SeededTesting
import Testing
import WeakCollections
import Workloads

/// What the documented traps of the benchmark's modules print before they end the process.
struct TrapTests {
  @Test(arguments: traps.indices) func `a mistake prints its line`(_ index: Int) async throws {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) { [index] in try await TrapTests.traps[index].provoke() }
    let printed = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(printed.contains(Self.traps[index].line))
  }

  private static let traps = benchmarking + workloads + measurements

  private static let benchmarking: [Trap] = [
    Trap("the name 'Mine' is not in kebab-case; choose a name such as my-dictionary") {
      _ = Contestant(named: "Mine", dictionary: MutexDictionary<Int, Int>.self)
    },
    Trap("the dictionary 'mutex' already exists; choose another name") {
      _ = Contestant(named: "mutex", dictionary: MutexDictionary<Int, Int>.self)
    },
    Trap("the weak-array 'mutex' already exists; choose another name") {
      _ = Contestant(named: "mutex", weakArray: MutexWeakArray<Member>.self)
    },
    Trap("the dictionary 'mine' already exists; choose another name") {
      let mine = Contestant(named: "mine", dictionary: MutexDictionary<Int, Int>.self)
      Contestant.register([mine, mine])
    },
  ]

  private static let workloads: [Trap] = [
    Trap("size must be positive, got 0") { _ = SlidingWindow(size: 0, insertShare: 1) },
    Trap("has no keys to draw; use a workload for dictionaries") {
      _ = Workload.all(for: .weakArray)[0].drawing(.uniform)
    },
    Trap("has no keys and values; use a workload for dictionaries") {
      _ = Workload.all(for: .weakArray)[0].on(.stringToInteger)
    },
    Trap("index must not be negative, got -1") { _ = Seed(1)!.derived(for: .trial, index: -1) },
    Trap("the list of roles is empty; pass at least one role") {
      _ = Workload.roles([], for: .dictionary)
    },
    Trap("; list each role at most once") {
      let roles = [try Role(.reader, workers: 1), try Role(.reader, workers: 2)]
      _ = Workload.roles(roles, for: .dictionary)
    },
  ]

  private static let measurements: [Trap] = [
    Trap("threads must be positive, got 0") {
      _ = UniversalScalability(of: [.init(threads: 0, throughput: 1)])
    },
    Trap("throughput must be positive and finite, got -1.0") {
      _ = UniversalScalability(of: [.init(threads: 1, throughput: -1)])
    },
    Trap("two series of a contest have the same name; pass unique names") {
      _ = Contest([("a", values(1)), ("a", values(2))])
    },
    Trap("degrees of freedom must be positive and finite, got 0.0") {
      _ = StudentDistribution(freedom: 0)
    },
    Trap("confidence must be between 0 and 1, got 1.0") {
      _ = StudentDistribution(freedom: 1).bound(ofConfidence: 1)
    },
    Trap("values must be finite and at least 0, got [[-1.0], [1.0]]") {
      _ = RatioEstimate(of: values(-1), to: values(1))
    },
    Trap("a margin must be finite and at least 0, got -1.0") { _ = VerdictRule(margin: -1) },
    Trap("the fraction of a quantile must be 0 to 1, got 2.0") {
      _ = Statistics.quantile(2, of: [1])
    },
    Trap("the values contain NaN; remove it first") { _ = Statistics.median([.nan]) },
    Trap("the values contain NaN; remove it first") { _ = Statistics.medianRate(of: [.nan]) },
    Trap("both sides of a ratio must be at least 0, got -1.0 and 1.0") { _ = Ratio.of(-1, to: 1) },
    Trap("session 1 has no trials; leave it out") {
      _ = VarianceComponents(ofSessions: [[1, 2, 3], []])
    },
    Trap("coordinates must be finite, got (inf, 0.0)") { _ = TheilSenSlope(of: [(.infinity, 0)]) },
    Trap("resamples must be positive, got 0") { _ = Bootstrap(resamples: 0) },
    Trap("confidence must be between 0 and 1, got 0.0") { _ = Bootstrap(confidence: 0) },
    Trap("the values contain NaN; remove it first") {
      var generator = SeededGenerator(seed: 1)
      let values = [Double](repeating: .nan, count: Bootstrap.valuesNeeded)
      _ = Bootstrap().interval(ofMedianOf: values, using: &generator)
    },
    Trap("the role 'reader' has no workers; pass at least one") {
      _ = Measurement.Role(name: "reader", operations: [], seconds: 1, latency: .init())
    },
    Trap("seconds must be positive, got 0.0") {
      _ = Measurement.Role(name: "reader", operations: [1], seconds: 0, latency: .init())
    },
  ]

  private static func values(_ value: Double) -> SessionValues {
    SessionValues([(Measurement.Session(run: "a", number: 1), value)])!
  }
}
