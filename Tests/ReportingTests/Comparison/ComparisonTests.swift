import Measurements
import Reporting
import SeededTesting
import Testing

struct ComparisonTests {
  /// Returns four sessions of three trials, whose times are close to `time`, so that a comparison
  /// with another time is decided.
  private func trials(
    around time: Double, of backend: String = "mutex", kind: Measurement.Kind = .subject,
    workload: String = "mixed", threads: Int = 2, change: (inout Measurement) -> Void = { _ in }
  ) -> [Measurement] {
    var rows: [Measurement] = []
    for session in 0..<4 {
      let times = (0..<3).map { number in time * (1 + Double(3 * session + number) / 1000) }
      rows += Measurement.trials(
        times, of: backend, process: "run-\(session)", kind: kind, workload: workload,
        threads: threads)
    }
    for index in rows.indices { change(&rows[index]) }
    return rows
  }

  private func compare(
    _ sides: ComparisonSides, _ metric: MetricColumn = .nanosecondsPerOperation,
    allowing: Set<Aspect> = []
  ) throws(Comparison.Refusal) -> Comparison {
    var terms = ComparisonTerms()
    terms.metric = metric
    terms.allowedDifferences = allowing
    return try Comparison(sides, terms)
  }

  @Test func `less time and more operations are better`() throws {
    let sides = ComparisonSides(base: trials(around: 100), candidate: trials(around: 50))
    #expect(try compare(sides).rows.map(\.verdict) == [.faster])
    #expect(try compare(sides, .operationsPerSecond).rows.map(\.verdict) == [.faster])
    let turned = ComparisonSides(base: sides.candidate, candidate: sides.base)
    #expect(try compare(turned).rows.map(\.verdict) == [.slower])
    #expect(try compare(turned, .operationsPerSecond).rows.map(\.verdict) == [.slower])
    #expect(abs(try compare(turned).rows[0].judgment.estimate.ratio - 2) < 1e-12)
  }

  @Test func `a significant difference within the threshold is equivalent`() throws {
    let sides = ComparisonSides(base: trials(around: 100), candidate: trials(around: 103))
    let row = try compare(sides).rows[0]
    #expect(row.verdict == .equivalent)
    #expect(try #require(row.judgment.estimate.interval).lowerBound > 1.02)
  }

  @Test func `one session decides nothing, however far apart its trials are`() throws {
    let base = Array(trials(around: 100).prefix(3))
    let row = try compare(ComparisonSides(base: base, candidate: trials(around: 900))).rows[0]
    #expect(row.verdict == .undecided)
    #expect(row.judgment.verdict == .slower && row.judgment.isIndicative)
  }

  @Test func `the geometric mean includes backends only`() throws {
    let rows =
      trials(around: 100) + trials(around: 50, of: "lock-free") + trials(around: 200, of: "actor")
      + trials(around: 900, of: "ns-lock", kind: .peer)
    let comparison = try compare(ComparisonSides(of: rows, againstBackend: "mutex"))
    #expect(abs(try #require(comparison.geometricMean) - 1) < 1e-12)
  }

  @Test func `rows that only one side has are listed, but not compared`() throws {
    let comparison = try compare(
      ComparisonSides(
        base: trials(around: 9) + trials(around: 9, workload: "exchange"),
        candidate: trials(around: 9) + trials(around: 9, threads: 8)))
    #expect(comparison.rows.map(\.configuration.threads) == [2])
    #expect(comparison.onlyInBase.map(\.configuration.workload) == ["exchange"])
    #expect(comparison.onlyInCandidate.map(\.configuration.threads) == [8])
  }

  @Test func `within a file all other backends are compared with one`() throws {
    let rows =
      trials(around: 100) + trials(around: 50, of: "lock-free") + trials(around: 200, of: "actor")
      + trials(around: 300, of: "ns-lock", kind: .peer) + trials(around: 5, threads: 8)
    let comparison = try compare(ComparisonSides(of: rows, againstBackend: "mutex"))
    #expect(comparison.rows.map(\.configuration.backend) == ["lock-free", "actor", "ns-lock"])
    #expect(comparison.rows.map(\.verdict) == [.faster, .slower, .slower])
    #expect(comparison.onlyInBase.map(\.configuration.threads) == [8])
    #expect(comparison.count(of: .slower) == 1, "a slower peer does not count")
  }

  @Test func `a metric that neither side measured yields no common row`() {
    let sides = ComparisonSides(base: trials(around: 1), candidate: trials(around: 1))
    #expect(throws: Comparison.Refusal.nothingInCommon(.p99)) { try compare(sides, .p99) }
  }

  @Test func `a row for which only one side measured the metric belongs to that side only`() throws
  {
    let sides = ComparisonSides(
      base: trials(around: 1) + trials(around: 1, threads: 8) { $0.bytes.livePerEntry = 60 },
      candidate: (trials(around: 1) + trials(around: 1, threads: 8)).map {
        var row = $0
        row.bytes.livePerEntry = 40
        return row
      })
    let comparison = try compare(sides, .liveBytesPerEntry)
    #expect(comparison.rows.map(\.configuration.threads) == [8])
    #expect(comparison.rows.map(\.verdict) == [.faster])
    #expect(comparison.onlyInCandidate.map(\.configuration.threads) == [2])
  }

  @Test func `a candidate that allocates is slower than a base that does not`() throws {
    let sides = ComparisonSides(
      base: trials(around: 1) { $0.bytes.allocatedPerOperation = 0 },
      candidate: trials(around: 1) { $0.bytes.allocatedPerOperation = 16 })
    let row = try compare(sides, .allocatedBytesPerOperation).rows[0]
    #expect(row.verdict == .slower)
    #expect(row.judgment.estimate.ratio == .infinity)
    let none = ComparisonSides(base: sides.base, candidate: sides.base)
    #expect(try compare(none, .allocatedBytesPerOperation).rows[0].verdict == .equivalent)
  }

  static let changes: [(Aspect, @Sendable (inout Measurement) -> Void)] = [
    (.machine, { $0.environment.machine = "another" }),
    (.cores, { $0.environment.cores = 4 }),
    (.swift, { $0.environment.swift = "swift-6.4" }),
    (.mutexFlavor, { $0.environment.mutexFlavor = "spinning" }),
    (.allocator, { $0.environment.allocator = "system" }),
    (.configuration, { $0.environment.buildConfiguration = "debug" }),
    (.requestedSeconds, { $0.trial.requestedSeconds = 5 }),
    (.driver, { $0.configuration.driver = "gcd" }),
    (.targetOperationsPerSecond, { $0.configuration.pace.targetOperationsPerSecond = 5 }),
    (.shares, { ($0.configuration.shares.read, $0.configuration.shares.insert) = (80, 15) }),
  ]

  @Test(arguments: changes.indices)
  func `a property that must not differ is named, and may differ if that is allowed`(_ index: Int)
    throws
  {
    let (aspect, change) = Self.changes[index]
    let sides = ComparisonSides(
      base: trials(around: 1), candidate: trials(around: 1, change: change))
    do {
      _ = try compare(sides)
      Issue.record("\(aspect) is compared")
    } catch .different(let differences) {
      #expect(differences.map(\.aspect) == [aspect])
      #expect(differences[0].inBase != differences[0].inCandidate)
    } catch {
      Issue.record("\(error)")
    }
    #expect(try compare(sides, allowing: [aspect]).rows.map(\.verdict) == [.equivalent])
  }

  @Test func `two files of different commits are compared, but not a file with two commits`() throws
  {
    let other = trials(around: 1) { $0.environment.commit = "g7654321" }
    #expect(
      try compare(ComparisonSides(base: trials(around: 1), candidate: other)).rows.count == 1)
    let mixed = trials(around: 1) + other
    #expect(throws: Comparison.Refusal.self) {
      try compare(ComparisonSides(base: mixed, candidate: other))
    }
    #expect(throws: Comparison.Refusal.self) {
      try compare(
        ComparisonSides(
          of: other + trials(around: 1, of: "actor"), againstBackend: "mutex"))
    }
  }

  @Test func `other roles are another workload, independent of the resulting mix`() throws {
    func side(_ roles: String, read: Int) -> [Measurement] {
      trials(around: 1, workload: "roles") {
        ($0.configuration.roles, $0.configuration.shares.read) = (roles, read)
      }
    }
    let sides = ComparisonSides(
      base: side("reader=3 writer=1", read: 75), candidate: side("reader=1 writer=3", read: 25))
    do {
      _ = try compare(sides)
      Issue.record("roles are compared")
    } catch .different(let differences) {
      #expect(differences.map(\.aspect) == [.roles])
    } catch {
      Issue.record("\(error)")
    }
    #expect(try compare(sides, allowing: [.roles]).rows.map(\.verdict) == [.equivalent])
  }

  @Test func `a file with several drivers is compared separately for each driver`() throws {
    let side = trials(around: 1) + trials(around: 2) { $0.configuration.driver = "gcd" }
    let comparison = try compare(ComparisonSides(base: side, candidate: side))
    #expect(comparison.rows.map(\.configuration.driver) == ["threads", "gcd"])
    #expect(comparison.rows.map(\.verdict) == [.equivalent, .equivalent])
  }

  @Test func `two debug builds are not compared, either`() {
    let debug = trials(around: 1) { $0.environment.buildConfiguration = "debug" }
    #expect(throws: Comparison.Refusal.self) {
      try compare(ComparisonSides(base: debug, candidate: debug))
    }
  }

  @Test func `custom mixes with other shares are other workloads`() throws {
    func custom(_ read: Int) -> [Measurement] {
      trials(around: 1, workload: "custom") { $0.configuration.shares.read = read }
    }
    let comparison = try compare(
      ComparisonSides(base: custom(90) + custom(80), candidate: custom(90) + custom(70)),
      allowing: [.shares])
    #expect(comparison.rows.map(\.configuration.shares.read) == [90])
    #expect(comparison.onlyInBase.map(\.configuration.shares.read) == [80])
  }
}

extension Measurement {
  /// Returns a row of a process. Rows with other backends or numbers have other identities.
  static func trial(
    _ nanosecondsPerOperation: Double, of backend: String = "mutex", process: String = "run-1",
    number: Int = 1, kind: Kind = .subject, workload: String = "mixed", threads: Int = 2
  ) -> Measurement {
    Measurement(
      identity: Identity(
        row: "\(process)-\(backend)-\(workload)-\(threads)-\(number)", kind: kind, run: process,
        timestamp: "2026-11-22T00:00:00Z"),
      environment: Environment(
        machine: "a-machine", cores: 2, swift: "swift-6.3.1",
        mutexFlavor: "priority-inheritance", allocator: "jemalloc", buildConfiguration: "release",
        commit: "g1234567"),
      configuration: Configuration(
        collection: "dictionary", backend: backend, workload: workload,
        shares: Shares(read: 90, insert: 5, update: 0, remove: 5, iterate: 0), keyType: "Int",
        valueType: "Int", keyDistribution: "uniform", driver: "threads", threads: threads,
        entries: 1024),
      trial: Trial(seed: UInt64(number), number: number, requestedSeconds: 0.44),
      throughput: Throughput(
        seconds: 0.44, operations: 1000, nanosecondsPerOperation: nanosecondsPerOperation,
        operationsPerSecond: 1e9 * Double(threads) / nanosecondsPerOperation))
  }

  /// Returns the trials of one series in one process.
  static func trials(
    _ times: [Double], of backend: String = "mutex", process: String = "run-1",
    kind: Kind = .subject, workload: String = "mixed", threads: Int = 2
  ) -> [Measurement] {
    times.enumerated().map { index, time in
      trial(
        time, of: backend, process: process, number: index + 1, kind: kind, workload: workload,
        threads: threads)
    }
  }
}
