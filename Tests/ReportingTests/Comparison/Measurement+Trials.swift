import Measurements

extension Measurement {
  /// A row of a process, with a time that only its place and the backend's name tell from others.
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
        size: 1024),
      trial: Trial(seed: UInt64(number), number: number, requestedSeconds: 0.44),
      throughput: Throughput(
        seconds: 0.44, operations: 1000, nanosecondsPerOperation: nanosecondsPerOperation,
        operationsPerSecond: 1e9 * Double(threads) / nanosecondsPerOperation))
  }

  /// The trials of one series in one process.
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
