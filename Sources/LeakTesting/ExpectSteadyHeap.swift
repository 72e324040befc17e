import LeakMonitoring
import RuntimeInspection

// Disfavored, so that asynchronous code gets the other form even for a synchronous body.
/// Fails the test if the number of live objects of a type grows linearly while `body` repeats.
///
/// ```swift
/// await expectSteadyHeap(of: Session.self, per: 100) {
///   await server.handle(request)
/// }
/// ```
///
/// `body` runs `runs` times in each round, and each round ends with a count of the live objects. A
/// quarter as many rounds precede as a warm-up. A type counts as growing if three conditions hold:
/// the line through its counts rises with a confidence of 99.9 %; the later half of the rounds
/// rises too, by at least half the rate of all; and the same is true of a confirmation with twice
/// as many rounds. So a cache that fills up during the test does not count as growing. Choose
/// `runs` so large that caches fill up: a cache that still fills at the end of the test is
/// indistinguishable from a leak. The test detects a leak of one object in a few rounds. It does
/// not detect an object that only becomes larger, such as an array of numbers.
///
/// The counts come from `HeapSnapshot.take()`, which forks this process in each round. Where
/// snapshots do not work, the monitor counts the classes in `types`, if their instances are
/// validated or have tokens. Otherwise the test fails, because it would check nothing.
///
/// A heap snapshot counts the objects of the whole process. Name the classes if other tests run
/// concurrently.
///
/// - Parameters:
///   - types: The classes to check; without any, all types of the heap. Private classes with the
///     same name count as one.
///   - runs: The number of runs of `body` in each round.
///   - rounds: The number of rounds after the warm-up.
///   - fileID: The call site, as are `filePath`, `line` and `column`.
///   - filePath: The file of the call.
///   - line: The line of the call.
///   - column: The column of the call.
///   - body: The code that should leave no more objects with each run. It runs 1.25 × `rounds` ×
///     `runs` times, and 3.25 × `rounds` × `runs` times if a type seems to grow.
/// - Throws: The error of `body`. Then nothing was checked.
/// - Precondition: `runs` is positive, and `rounds` is at least 16.
@_disfavoredOverload
public func expectSteadyHeap(
  of types: AnyClass..., per runs: Int = 20, rounds: Int = 20, fileID: StaticString = #fileID,
  filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column,
  _ body: () throws -> Void
) rethrows {
  let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
  var check = SteadyHeapCheck(of: types, runs: runs, rounds: rounds)
  while check.needsRound {
    for _ in 0..<runs { try pooled(body) }
    check.count()
  }
  check.conclude(at: site)
}

/// Fails the test if the number of live objects of a type grows linearly while `body` repeats;
/// suspends whenever `body` suspends.
///
/// - Parameters:
///   - types: The classes to check; without any, all types of the heap.
///   - runs: The number of runs of `body` in each round.
///   - rounds: The number of rounds after the warm-up.
///   - isolation: The isolation of the caller, in which `body` runs.
///   - fileID: The call site, as are `filePath`, `line` and `column`.
///   - filePath: The file of the call.
///   - line: The line of the call.
///   - column: The column of the call.
///   - body: The code that should leave no more objects with each run.
/// - Throws: The error of `body`. Then nothing was checked.
/// - Precondition: `runs` is positive, and `rounds` is at least 16.
public func expectSteadyHeap(
  of types: AnyClass..., per runs: Int = 20, rounds: Int = 20,
  isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
  filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column,
  _ body: () async throws -> Void
) async rethrows {
  let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
  var check = SteadyHeapCheck(of: types, runs: runs, rounds: rounds)
  while check.needsRound {
    for _ in 0..<runs { try await body() }
    // Tasks that the body started may end now.
    await Task.yield()
    check.count()
  }
  check.conclude(at: site)
}

/// The rounds of one call of `expectSteadyHeap`, and its result.
private struct SteadyHeapCheck {
  /// A counted type of the heap or, without snapshots, a class.
  private struct Subject: Hashable {
    let kind: HeapSnapshot.Entry.Kind
    let typeName: String

    /// Whether the program itself declares the type. Such a type explains a leak best.
    var isOfProgram: Bool {
      let isOfLibrary = ["Swift.", "Foundation.", "_"].contains { typeName.hasPrefix($0) }
      return kind == .object && !isOfLibrary
    }

    var text: String { kind == .object || kind == .task ? typeName : "\(kind) \(typeName)" }
  }

  private let names: Set<String>
  private let runs: Int
  private let usesHeap = HeapSnapshot.heapCapability == .available
  private var rounds: GrowthRounds<Subject>
  /// The reason why there are no counts; nil if there are.
  private var failure: String?

  init(of types: [AnyClass], runs: Int, rounds: Int) {
    guard runs > 0 else {
      fatalError("expectSteadyHeap needs at least 1 run per round, got \(runs)")
    }
    guard rounds >= 2 * GrowthTrend.fewestRounds else {
      fatalError(
        "expectSteadyHeap needs at least \(2 * GrowthTrend.fewestRounds) rounds to distinguish growth "
          + "from noise, got \(rounds)")
    }
    names = Set(types.map { TypeName.stable($0) })
    self.runs = runs
    self.rounds = GrowthRounds(rounds: rounds)
    if case .unavailable(let reason) = HeapSnapshot.heapCapability, types.isEmpty {
      failure =
        "cannot count the objects of the heap: \(reason); name classes that the monitor "
        + "counts, or enable the test if HeapSnapshot.heapCapability == .available"
    }
  }

  var needsRound: Bool { failure == nil && rounds.needsRound }

  /// Counts the live objects at the end of a round.
  mutating func count() {
    guard usesHeap else { return rounds.append(countsOfMonitor) }
    do {
      let entries = try HeapSnapshot.take().entries.filter { isWanted($0) }
      rounds.append(
        Dictionary(
          entries.map { (Subject(kind: $0.kind, typeName: $0.typeName), $0.count) },
          uniquingKeysWith: +))
    } catch {
      failure = error.description
    }
  }

  private func isWanted(_ entry: HeapSnapshot.Entry) -> Bool {
    names.isEmpty || entry.kind == .object && names.contains(entry.typeName)
  }

  private var countsOfMonitor: [Subject: Int] {
    let counts = MemoryLeakMonitor.current.liveCounts.filter { names.contains($0.key) }
    return Dictionary(
      uniqueKeysWithValues: counts.map { (Subject(kind: .object, typeName: $0.key), $0.value) })
  }

  /// Records a failure if types grow, or if nothing was counted.
  func conclude(at site: CallSite) {
    if let failure = failure ?? failureOfMonitor {
      return RunningTest.record("expectSteadyHeap checked nothing: \(failure)", at: site)
    }
    let growing = rounds.growing.sorted { one, other in
      (other.subject.isOfProgram ? 1 : 0, other.trend.slope, one.subject.text)
        < (one.subject.isOfProgram ? 1 : 0, one.trend.slope, other.subject.text)
    }
    guard let first = growing.first else { return }
    let path = examplePath(of: first.subject)
    let advice = path?.likelyFixOfGrowth.map { "; likely line to change: \($0.text)" } ?? ""
    let others = growing.dropFirst().map { "  also \(text(of: $0))" }
    let lines = path?.text.split(separator: "\n").map { "  \($0)" } ?? []
    RunningTest.record(
      ([text(of: first) + advice] + others + lines).joined(separator: "\n"), at: site)
  }

  private var failureOfMonitor: String? {
    guard !usesHeap, case .unavailable(let reason) = HeapSnapshot.heapCapability else { return nil }
    let missing = names.subtracting(MemoryLeakMonitor.current.liveCounts.keys).sorted()
    guard !missing.isEmpty else { return nil }
    return "the monitor does not count \(missing.joined(separator: ", ")), because no instance was "
      + "validated or has a token; and the heap has no counts: \(reason)"
  }

  private func text(of growth: GrowthRounds<Subject>.Growth) -> String {
    let scale = 1 / Double(runs)
    let (slope, margin) = (growth.trend.slope * scale, growth.trend.margin * scale)
    let interval = "\(decimal(slope - margin)) to \(decimal(slope + margin))"
    return "\(growth.subject.text): the number of live objects grows linearly, by "
      + "\(decimal(slope)) in each run (\(interval) with a confidence of 99.9 %), from "
      + "\(growth.first) to \(growth.last) in \(rounds.countedRounds * runs) runs"
  }

  private func decimal(_ number: Double) -> String { "\((number * 100).rounded() / 100)" }

  private func examplePath(of subject: Subject) -> RetainPath? {
    guard usesHeap else { return nil }
    return (try? HeapSnapshot.take(findsPaths: true))?.entry(subject.typeName, subject.kind)?.path
  }
}
