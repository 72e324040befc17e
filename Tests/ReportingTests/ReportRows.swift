import Measurements
import SeededTesting

@testable import Charts
@testable import Reporting

/// Rows for reports: a few contestants, workloads and numbers of threads.
enum ReportRows {
  static let catalog = ReportCatalog(
    collections: ["weak-array", "dictionary"],
    workloads: ["dictionary": ["read-only", "exchange"], "weak-array": ["read-only"]],
    backends: ["mutex", "actor", "lock-free"], standardBackend: "lock-free", peers: ["ns-lock"],
    publishedDesigns: ["published-queue"], baselines: ["empty-loop"])

  /// Three trials, a percent apart, each of a session of its own.
  static func trials(
    of backend: String, takes nanoseconds: Double, kind: Measurement.Kind = .subject,
    collection: String = "dictionary", workload: String = "read-only", threads: Int = 1,
    entries: Int = 1024, commit: String = "g1", count: Int = 3
  ) -> [Measurement] {
    (0..<count).map { number in
      let time = nanoseconds * (1 + Double(number) / 100)
      return Measurement(
        identity: .init(
          row: "\(backend)-\(collection)-\(workload)-\(threads)-\(entries)-\(commit)-\(number)",
          kind: kind,
          run: "run-1", timestamp: "2026-11-21T12:00:0\(number)Z"),
        environment: .init(
          machine: "two-cores", cores: 2, swift: "swift-6.3.1", allocator: "jemalloc",
          buildConfiguration: "release", commit: commit),
        configuration: .init(
          collection: collection, backend: backend, workload: workload,
          shares: .init(read: 100, insert: 0, update: 0, remove: 0, iterate: 0),
          driver: "threads", threads: threads, entries: entries),
        trial: .init(seed: 1, number: number + 1, requestedSeconds: 1, session: number + 1),
        throughput: .init(
          seconds: 1, operations: 1000, nanosecondsPerOperation: time,
          operationsPerSecond: 1e9 * Double(threads) / time),
        latency: .init(p50Nanoseconds: time, p99Nanoseconds: time * 30, maxNanoseconds: time * 999),
        contention: .init(jainIndex: 0.9))
    }
  }

  /// Two collections, three workloads, six contestants, three numbers of threads.
  static var many: [Measurement] {
    let places = [
      ("dictionary", "exchange"), ("dictionary", "read-only"), ("weak-array", "read-only"),
    ]
    return places.flatMap { collection, workload in
      [8, 1, 2].flatMap { threads in
        [
          ("lock-free", 20.0, Measurement.Kind.subject), ("mutex", 30, .subject),
          ("actor", 900, .subject), ("ns-lock", 120, .peer), ("published-queue", 800, .peer),
          ("empty-loop", 1, .baseline),
        ].flatMap { name, time, kind in
          trials(
            of: name, takes: time, kind: kind, collection: collection, workload: workload,
            threads: threads)
        }
      }
    }
  }

  static func report(of rows: [Measurement]) -> BenchmarkReport {
    BenchmarkReport(
      of: rows, catalog: catalog, drawingFrom: SeededGenerator(seed: TestOptions.seed))
  }
}
