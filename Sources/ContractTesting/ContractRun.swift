import SeededRandom
import Threading
import WeakCollections

/// One check of one contract: its options, its threads, and the breaches that it found.
final class ContractRun: Sendable {
  /// The number of threads that race.
  static let threads = 8
  private static let mostBreaches = 5

  let options: ContractOptions
  /// The births and deaths of values and elements.
  let lifetimes = LifetimeCounter()
  /// The births and deaths of keys.
  let keyLifetimes = LifetimeCounter()
  /// The notes of the check's own thread and of each racing thread.
  let notes = (0...ContractRun.threads).map { _ in OperationNote() }

  private let contract: String
  private let results = MutexLock(Results())

  private struct Results: Sendable {
    var breaches: [ContractBreach] = []
    var others = 0
    var hasReturned = true
  }

  init(of contract: String, _ options: ContractOptions) {
    self.contract = contract
    self.options = options
  }

  /// Runs `check` on a new thread, and abandons it at the time limit.
  func perform(_ check: @escaping @Sendable (ContractRun) async -> Void) async {
    let hasReturned = await OwnedThreadExecutor.run(
      within: options.timeLimit, waiting: options.waitForTimeLimit
    ) { await check(self) }
    guard !hasReturned else { return }
    let operations = notes.enumerated().compactMap { thread, note in
      note.text.map { (thread == 0 ? "the first thread" : "thread \(thread)") + " in \($0)" }
    }
    let place = operations.isEmpty ? "outside every operation" : operations.joined(separator: ", ")
    results.write { $0.hasReturned = false }
    breach(
      "the check returns within \(options.timeLimit)",
      found: "it did not return, \(place); its threads still run")
  }

  /// Whether the check returned in time.
  var hasReturned: Bool { results.read { $0.hasReturned } }

  /// The first breaches, and a last one that counts the others.
  var breaches: [ContractBreach] {
    results.read { results in
      guard results.others > 0 else { return results.breaches }
      return results.breaches + [
        ContractBreach(
          contract: contract, expected: "no further breach", found: "\(results.others) more")
      ]
    }
  }

  // MARK: - Expectations

  /// Records a breach.
  func breach(_ expected: String, found: String) {
    results.write { results in
      if results.breaches.count < Self.mostBreaches {
        results.breaches.append(
          ContractBreach(contract: contract, expected: expected, found: found))
      } else {
        results.others += 1
      }
    }
  }

  /// Records a breach unless `found` is `expected`.
  ///
  /// - Parameters:
  ///   - found: What the collection returned.
  ///   - expected: What it should return.
  ///   - what: What is compared, as the subject of a sentence.
  func expect<Value: Equatable>(
    _ found: Value, is expected: Value, _ what: @autoclosure () -> String
  ) {
    if found != expected {
      breach("\(what()) is \(Self.text(of: expected))", found: Self.text(of: found))
    }
  }

  /// Records a breach unless a condition holds.
  ///
  /// - Parameters:
  ///   - condition: The condition.
  ///   - expected: The sentence that should be true.
  ///   - found: What is true instead.
  func expect(
    _ condition: Bool, _ expected: @autoclosure () -> String, found: @autoclosure () -> String
  ) {
    if !condition { breach(expected(), found: found()) }
  }

  /// Records a breach unless `live` falls to `expected`. Calls `reclaim` until it does, for at most
  /// a quarter of the time limit.
  func expectRelease(
    _ what: @autoclosure () -> String, downTo expected: Int, _ live: () -> Int
  ) {
    if let reclaim = options.reclaim {
      let clock = ContinuousClock()
      let deadline = clock.now + options.timeLimit / 4
      while live() > expected, clock.now < deadline { reclaim() }
    }
    let found = live()
    expect(
      found == expected, "\(what()): \(expected) still live",
      found: "\(found) live\(found > expected ? ": some are not released" : "")")
  }

  private static func text(of value: some Any) -> String {
    let text = if let optional = value as? (any OptionalValue) { optional.text } else { "\(value)" }
    return text.count <= 200 ? text : "\(text.prefix(200))… (\(text.count) characters)"
  }

  // MARK: - Objects, choices, threads

  /// Returns an object whose lifetime the run counts.
  func object(_ number: Int) -> CountedObject { CountedObject(number, in: lifetimes) }

  /// Returns a generator with a seed of its own for the thread with this index.
  func generator(_ thread: Int = 0) -> SplitMix64 {
    SplitMix64(seed: options.seed &+ UInt64(thread))
  }

  /// Runs `body` in `count` tasks, each on a thread of its own. The threads start together.
  ///
  /// - Parameters:
  ///   - count: The number of threads, at most `threads`.
  ///   - body: The work; it receives the index of its thread.
  /// - Returns: The results in the order of the indices.
  func race<R: Sendable>(
    _ count: Int = ContractRun.threads, _ body: @escaping @Sendable (Int) async -> R
  ) async -> [R] {
    await inOwnThreadTasks(count, body)
  }
}

/// An optional that is printed as its value, without `Optional(…)`.
private protocol OptionalValue {
  var text: String { get }
}

extension Optional: OptionalValue {
  fileprivate var text: String { map { "\($0)" } ?? "nil" }
}
