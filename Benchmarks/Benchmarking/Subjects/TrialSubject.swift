import Threading

/// A collection under trial, with everything that its workers need, made before the clock starts.
protocol TrialSubject: Sendable {
  associatedtype Worker: TrialWorker

  /// Makes keys, schedules and objects; no collection yet.
  init(_ specification: TrialSpecification)

  /// Makes the collection.
  mutating func start()

  /// Puts `count` entries in.
  func fill(_ count: Int) async

  /// Takes everything out.
  func empty() async

  /// A worker for the collection, which holds `prefilled` entries.
  func worker(at index: Int, prefilled: Int) -> Worker

  /// What the collection did wrong, now that all workers have stopped; nil if nothing.
  func verify(_ workers: [Worker]) async -> String?

  /// What was not released, once the workers and the collection are gone; nil if everything was.
  var census: Census? { get }
}
