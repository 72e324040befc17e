import Threading

/// A collection for each worker: what the same work costs where nothing is shared.
struct UnsharedSubject<S: TrialSubject>: TrialSubject {
  private var subjects: [S]

  init(_ specification: TrialSpecification) {
    subjects = (0..<specification.threads).map { _ in S(specification) }
  }

  mutating func start() {
    for index in subjects.indices { subjects[index].start() }
  }

  func fill(_ count: Int) async {
    for subject in subjects { await subject.fill(count) }
  }

  func empty() async {
    for subject in subjects { await subject.empty() }
  }

  func worker(at index: Int, prefilled: Int) -> S.Worker {
    subjects[index].worker(at: index, prefilled: prefilled)
  }

  func verify(_ workers: [S.Worker]) async -> String? {
    for (subject, worker) in zip(subjects, workers) {
      if let reason = await subject.verify([worker]) { return reason }
    }
    return nil
  }

  var census: Census? { nil }
}
