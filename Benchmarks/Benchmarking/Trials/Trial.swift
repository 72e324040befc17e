import EpochReclamation
import Measurements
import Threading
import WeakCollections
import Workloads

/// One trial of one concrete collection: timed, verified, and its bytes counted.
struct Trial<S: TrialSubject> {
  let specification: TrialSpecification

  func run() async throws(TrialFailure) -> TrialResult {
    let reports = try await time()
    let phase = BytePhase<S>(specification: specification, operations: operations(reports))
    let bytes = await OwnedThreadExecutor.with(specification.threads) { await phase.run(on: $0) }
    guard let result = TrialResult(reports, of: specification, bytes: bytes ?? .init()) else {
      throw failure("no operation was finished in \(specification.seconds) s")
    }
    return result
  }

  /// The timed phase, verified.
  private func time() async throws(TrialFailure) -> [WorkerReport] {
    let timed = await OwnedThreadExecutor.with(specification.threads) { await time(on: $0) }
    // The threads are joined, the collection and its workers gone; what is in limbo goes now.
    EpochDomain.shared.advance()
    if let census = timed.census, census.births != census.deaths {
      throw failure("\(census.births) objects were made, \(census.deaths) died")
    }
    if let reason = timed.reason { throw failure(reason) }
    return timed.reports
  }

  private func time(
    on threads: [OwnedThreadExecutor]
  ) async -> (reports: [WorkerReport], census: Census?, reason: String?) {
    var subject = S(specification)
    subject.start()
    await subject.fill(specification.prefill)
    let phase = await TimedPhase<S>(specification: specification)
      .run(subject, prefilled: specification.prefill, on: threads)
    let isVerified = specification.contestant.kind != .baseline
    let reason = isVerified ? await subject.verify(phase.map(\.worker)) : nil
    return (phase.map(\.numbers), subject.census, reason)
  }

  /// So many that the byte phase takes about 30 ms, were it not counting.
  private func operations(_ reports: [WorkerReport]) -> Int {
    let seconds = reports.reduce(0) { $0 + $1.seconds } / Double(reports.count)
    let done = Double(reports.reduce(0) { $0 + $1.operations }) / Double(reports.count)
    guard seconds > 0 else { return 200 }
    return min(20_000, max(200, Int(0.03 * done / seconds)))
  }

  private func failure(_ reason: String) -> TrialFailure {
    TrialFailure(specification: specification, reason: reason)
  }
}

extension TrialSpecification {
  /// Makes the trial, on threads of its own.
  ///
  /// - Throws: when the collection does not do what it promises.
  public func run() async throws(TrialFailure) -> TrialResult {
    let result: Result<TrialResult, TrialFailure>
    do {
      switch contestant.collection {
      case .weakArray: result = try await contestant.withWeakArray(Visitor(specification: self))
      case .dictionary: result = try await contestant.withDictionary(Visitor(specification: self))
      }
    } catch {
      throw TrialFailure(specification: self, reason: "\(error)")
    }
    return try result.get()
  }

  /// How many entries there are when the clock starts.
  ///
  /// None where objects must be able to die: there the workers fill the array while they warm up.
  var prefill: Int {
    switch (contestant.collection, workload.behaviour) {
    case (.weakArray, .churning), (.weakArray, .monitoring): 0
    default: workload.prefill(forSize: size)
    }
  }

  private struct Visitor: WeakArrayVisitor, DictionaryVisitor {
    typealias Element = Member
    typealias Key = Int
    typealias Value = Int
    typealias Output = Result<TrialResult, TrialFailure>

    let specification: TrialSpecification

    func visit<A: ConcurrentWeakArray & Sendable>(_ type: A.Type) async -> Output
    where A.Element == Member {
      await Self.result { () throws(TrialFailure) in
        try await Trial<WeakArraySubject<A>>(specification: specification).run()
      }
    }

    func visit<D: ConcurrentDictionary & Sendable>(_ type: D.Type) async -> Output
    where D.Key == Int, D.Value == Int {
      await Self.result { () throws(TrialFailure) in
        try await Trial<DictionarySubject<D>>(specification: specification).run()
      }
    }

    private static func result(
      _ body: () async throws(TrialFailure) -> TrialResult
    ) async -> Output {
      do {
        return .success(try await body())
      } catch {
        return .failure(error)
      }
    }
  }
}
