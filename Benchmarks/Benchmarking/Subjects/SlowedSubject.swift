import Threading

/// A subject whose workers make some operations twice and count them once: a slowdown by a known part,
/// whatever an operation costs.
struct SlowedSubject<S: TrialSubject>: TrialSubject {
  private var subject: S
  private let percent: Int

  init(_ specification: TrialSpecification) {
    subject = S(specification)
    percent = specification.contestant.slowdownPercent
  }

  mutating func start() { subject.start() }

  func fill(_ count: Int) async { await subject.fill(count) }

  func empty() async { await subject.empty() }

  func worker(at index: Int, prefilled: Int) -> SlowedWorker<S.Worker> {
    SlowedWorker(subject.worker(at: index, prefilled: prefilled), percent: percent)
  }

  func verify(_ workers: [SlowedWorker<S.Worker>]) async -> String? {
    await subject.verify(workers.map(\.worker))
  }

  var census: Census? { subject.census }
}

/// Of a hundred operations it makes so many twice, evenly spread.
struct SlowedWorker<W: TrialWorker>: TrialWorker {
  private(set) var worker: W
  private let percent: Int
  private var debt = 0

  init(_ worker: W, percent: Int) {
    self.worker = worker
    self.percent = percent
  }

  @inline(__always)
  mutating func operate() async {
    await worker.operate()
    debt += percent
    while debt >= 100 {
      debt -= 100
      await worker.operate()
    }
  }
}
