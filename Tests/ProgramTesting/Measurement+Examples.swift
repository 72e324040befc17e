import Measurements

extension Measurement {
  /// The `number`th row of a run of one trial after another.
  package static func example(
    _ number: Int, _ backend: String = "mutex", kind: Kind = .subject, threads: Int = 1,
    workload: String = "read-heavy", nanosecondsPerOperation: Double = 100,
    bytes: Bytes = Bytes()
  ) -> Measurement {
    Measurement(
      identity: Identity(
        row: "run-1-\(number)", kind: kind, run: "run-1", timestamp: "2026-11-21T11:57:00Z"),
      environment: Environment(
        machine: "amd-epyc-2c-24gib-debian-12", cores: 2, swift: "swift-6.3.1",
        allocator: "system", buildConfiguration: "release"),
      configuration: Configuration(
        collection: "dictionary", backend: backend, workload: workload,
        shares: Shares(read: 98, insert: 1, update: 0, remove: 1, iterate: 0), driver: "threads",
        threads: threads, entries: 1024),
      trial: Trial(seed: 7, number: number, requestedSeconds: 1),
      throughput: Throughput(
        seconds: 1, operations: 1000, nanosecondsPerOperation: nanosecondsPerOperation,
        operationsPerSecond: 1e9 * Double(threads) / nanosecondsPerOperation),
      latency: Latency(p50Nanoseconds: 41, p99Nanoseconds: 1234), bytes: bytes)
  }
}
