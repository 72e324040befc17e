import Threading

/// A collection that workers use for minutes, of whatever type.
protocol SoakedCollection: AnyObject {
  /// Has the workers use it, each on its thread, and returns how many operations they made.
  ///
  /// Blocks the calling thread, which is an owned one.
  func use(on threads: [OwnedThreadExecutor], forSeconds seconds: Double) async -> Int

  /// What it did wrong in all its uses; nil if nothing.
  func verify() async -> String?
}

/// A trial's subject with its workers, who go on after a pause where they were.
final class SoakedSubject<S: TrialSubject>: SoakedCollection {
  private let subject: S
  private var workers: [S.Worker]

  init(_ specification: TrialSpecification) async {
    var subject = S(specification)
    subject.start()
    await subject.fill(specification.prefill)
    workers = (0..<specification.threads).map {
      subject.worker(at: $0, prefilled: specification.prefill)
    }
    self.subject = subject
  }

  func use(on threads: [OwnedThreadExecutor], forSeconds seconds: Double) async -> Int {
    let stop = StopSign()
    let uses = await withTaskGroup(of: (index: Int, worker: S.Worker, operations: Int).self) {
      [workers] group in
      for (index, thread) in zip(workers.indices, threads) {
        group.addTask(executorPreference: thread) {
          let (worker, operations) = await Self.use(workers[index], until: stop)
          return (index, worker, operations)
        }
      }
      Clock.sleep(milliseconds: UInt32(max(1, seconds * 1000)))
      stop.raise()
      return await group.reduce(into: []) { $0.append($1) }
    }
    for use in uses { workers[use.index] = use.worker }
    return uses.reduce(0) { $0 + $1.operations }
  }

  func verify() async -> String? {
    await subject.verify(workers)
  }

  private static func use(
    _ worker: S.Worker, until stop: StopSign
  ) async -> (worker: S.Worker, operations: Int) {
    var worker = worker
    var unused = LatencyRecorder()
    let operations = await TimingLoop.run(
      &worker, until: stop, stride: .max, recorder: &unused)
    return (worker, operations)
  }
}
