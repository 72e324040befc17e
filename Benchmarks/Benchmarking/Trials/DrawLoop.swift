import CPeers
import Primitives
import SeededRandom
import Threading
import WeakCollections
import Workloads

/// The loop that draws its keys and operations while it is timed, the same in Swift, C++
/// (`Map.hpp`) and Java (`Loop.java`).
///
/// A draw is a number of Marsaglia's generator xorshift64 ("Xorshift RNGs", 2003). Its lower bits
/// are the key, and its upper half decides between a read and a replace. The draw is also the new
/// value, so the lower bits of a value are always its key.
enum DrawLoop {
  /// Runs the loop until `stop` is set or the limit of `state` is reached.
  ///
  /// Specialized for each dictionary. With one that never suspends, the loop never suspends.
  @inline(never)
  static func run<D: ConcurrentDictionary & Sendable>(
    on dictionary: D, _ state: inout cp_draws, until stop: StopFlag
  ) async where D.Key == Int, D.Value == Int {
    // Variables of their own, so that they can stay in registers; a copy of `state` would not.
    let (mask, replacePercent) = (state.key_mask, state.replace_percent)
    var (draw, operations, sum, misses) = (state.draw, state.operations, state.sum, state.misses)
    repeat {
      for _ in 0..<CP_CHUNK {
        draw ^= draw << 13
        draw ^= draw >> 7
        draw ^= draw << 17
        let key = Int(truncatingIfNeeded: draw & mask)
        if ((draw >> 32) &* 100) >> 32 < replacePercent {
          await dictionary.setValue(Int(truncatingIfNeeded: draw), forKey: key)
        } else if let value = await dictionary.value(forKey: key) {
          sum &+= UInt64(bitPattern: Int64(value))
        } else {
          misses &+= 1
        }
      }
      operations &+= Int64(CP_CHUNK)
    } while operations < state.operation_limit && !stop.isSet
    (state.draw, state.operations, state.sum, state.misses) = (draw, operations, sum, misses)
  }

  /// Runs the loop with reads only, in batches of `batch` keys, a divisor of `CP_CHUNK`.
  @inline(never)
  static func runBatches<D: ConcurrentDictionary & Sendable>(
    of batch: Int, on dictionary: D, _ state: inout cp_draws, until stop: StopFlag
  ) async where D.Key == Int, D.Value == Int {
    let mask = state.key_mask
    var (draw, operations, sum, misses) = (state.draw, state.operations, state.sum, state.misses)
    var keys = [Int](repeating: 0, count: batch)
    repeat {
      for _ in 0..<Int(CP_CHUNK) / batch {
        for index in keys.indices {
          draw ^= draw << 13
          draw ^= draw >> 7
          draw ^= draw << 17
          keys[index] = Int(truncatingIfNeeded: draw & mask)
        }
        for value in await dictionary.values(forKeys: keys) {
          if let value { sum &+= UInt64(bitPattern: Int64(value)) } else { misses &+= 1 }
        }
      }
      operations &+= Int64(CP_CHUNK)
    } while operations < state.operation_limit && !stop.isSet
    (state.draw, state.operations, state.sum, state.misses) = (draw, operations, sum, misses)
  }
}

/// One trial of the loop that draws inside: threads that read and replace present keys of one
/// dictionary from integers to integers.
package struct DrawLoopTrial: Sendable {
  /// The number of entries, a power of two. All keys are present.
  package let entries: Int
  package let replacePercent: Int
  /// The keys of one read: 1 for `value(forKey:)`; more for `values(forKeys:)`.
  package let batch: Int
  package let threads: Int
  package let seed: Seed
  package let warmupSeconds: Double
  package let seconds: Double
  /// The operations of each thread, instead of a duration and without a warm-up. It is rounded up
  /// to a multiple of 1,024.
  package let operationLimit: Int?

  package init(
    entries: Int, replacePercent: Int, batch: Int = 1, threads: Int, seed: Seed,
    warmupSeconds: Double, seconds: Double, operationLimit: Int? = nil
  ) {
    guard entries > 0 && entries & (entries - 1) == 0 else {
      fatalError("entries must be a power of two, got \(entries)")
    }
    guard batch == 1 || Self.batches ~= batch && replacePercent == 0 && Int(CP_CHUNK) % batch == 0
    else { fatalError("a batch must divide \(CP_CHUNK) and have no replaces, got \(batch)") }
    self.entries = entries
    self.batch = batch
    self.replacePercent = replacePercent
    self.threads = threads
    self.seed = seed
    self.warmupSeconds = warmupSeconds
    self.seconds = seconds
    self.operationLimit = operationLimit
  }

  /// The seeds of the threads' generators, the same for every contestant.
  package var drawSeeds: [UInt64] {
    (0..<threads).map { index in
      var generator = SplitMix64(seed: seed.derived(for: .worker, index: index))
      return generator.next() | 1  // A generator that starts at 0 returns only 0.
    }
  }

  /// The numbers of keys that one read may have. They are powers of two.
  package static let batches = 2...Int(CP_CHUNK)

  /// Runs the trial on threads of its own.
  ///
  /// - Parameter contestant: A dictionary for which `DrawLoopTrial.supports` is true.
  package func run(_ contestant: Contestant) async throws -> DrawLoopReport {
    // A pool's thread would live on with retired objects in its bags.
    try await OwnedThreadExecutor.with(1) { executors in
      try await withTaskExecutorPreference(executors[0]) {
        let subject = try await DrawLoopSubject.make(contestant, self)
        let workers = await time(subject)
        return DrawLoopReport(
          workers: workers, wrongKeys: await subject.countWrongKeys(),
          isVerified: contestant.isVerified)
      }
    }
  }

  /// Returns whether the loop supports a contestant: a synchronous backend of this package, a map
  /// of another language or a baseline.
  package static func supports(_ contestant: Contestant) -> Bool {
    switch contestant.design {
    case .backend(let backend): backend.isSynchronous
    case .emptyLoop, .foreign, .unshared: true
    case .custom, .lockAroundValue, .published, .slowed: false
    }
  }

  /// Returns whether the loop can read from a contestant in batches.
  package static func supportsBatches(_ contestant: Contestant) -> Bool {
    if case .backend = contestant.design { supports(contestant) } else { false }
  }

  private func time(_ subject: DrawLoopSubject) async -> [DrawLoopReport.Worker] {
    let seeds = drawSeeds
    let start = Rendezvous(count: threads)
    let (warmupEnd, end) = (StopFlag(), StopFlag())
    async let reports = inOwnThreadTasks(threads) { index in
      var draws = cp_draws()
      draws.draw = seeds[index]
      draws.key_mask = UInt64(entries - 1)
      draws.replace_percent = UInt64(replacePercent)
      draws.operation_limit = Int64.max
      if operationLimit == nil { await subject.loops[index](&draws, warmupEnd) }
      (draws.operations, draws.sum, draws.misses) = (0, 0, 0)
      draws.operation_limit = Int64(operationLimit ?? .max)
      start.arrive()
      let begin = Clock.now()
      await subject.loops[index](&draws, end)
      return DrawLoopReport.Worker(draws, nanoseconds: Clock.now() - begin)
    }
    try? await Task.sleep(for: .seconds(warmupSeconds))
    warmupEnd.set()
    guard operationLimit == nil else { return await reports }
    while !start.hasOpened { try? await Task.sleep(for: .milliseconds(1)) }
    try? await Task.sleep(for: .seconds(seconds))
    end.set()
    return await reports
  }
}

/// The result of a trial of the loop that draws inside.
package struct DrawLoopReport: Equatable, Sendable {
  /// The timed part of one thread.
  package struct Worker: Equatable, Sendable {
    package var operations: Int
    package var nanoseconds: Int
    /// The sum of all values that the thread read, modulo 2⁶⁴.
    package var sum: UInt64
    /// Reads that found nothing.
    package var misses: Int

    package init(operations: Int, nanoseconds: Int, sum: UInt64, misses: Int) {
      self.operations = operations
      self.nanoseconds = nanoseconds
      self.sum = sum
      self.misses = misses
    }

    fileprivate init(_ draws: cp_draws, nanoseconds: Int) {
      self.init(
        operations: Int(draws.operations), nanoseconds: nanoseconds, sum: draws.sum,
        misses: Int(draws.misses))
    }
  }

  package let workers: [Worker]
  /// Keys that were absent after the trial, or had a value of another key.
  package let wrongKeys: Int
  private let isVerified: Bool

  package init(workers: [Worker], wrongKeys: Int, isVerified: Bool = true) {
    self.workers = workers
    self.wrongKeys = wrongKeys
    self.isVerified = isVerified
  }

  /// The nanoseconds per operation of all threads together.
  package var nanosecondsPerOperation: Double {
    1 / workers.reduce(0) { $0 + Double($1.operations) / Double(max(1, $1.nanoseconds)) }
  }

  /// A description of the first error, or `nil` if the dictionary is correct.
  package var fault: String? {
    let misses = workers.reduce(0) { $0 + $1.misses }
    guard isVerified, misses + wrongKeys > 0 else { return nil }
    return "\(misses) reads found nothing, and \(wrongKeys) keys were absent or had values of "
      + "other keys"
  }
}

/// The filled dictionary of a trial, with a specialized loop for each thread.
struct DrawLoopSubject: Sendable {
  let loops: [@Sendable (inout cp_draws, StopFlag) async -> Void]
  /// Returns the number of keys that are absent or have a value of another key.
  let countWrongKeys: @Sendable () async -> Int

  static func make(
    _ contestant: Contestant, _ trial: DrawLoopTrial
  ) async throws -> DrawLoopSubject {
    guard case .foreign(let map) = contestant.design else {
      return try await contestant.withDictionary(
        LoopOfDictionary(trial: trial, isShared: contestant.isShared))
    }
    let handle = ForeignMapHandle(map, capacity: trial.entries)
    return DrawLoopSubject(map: handle, trial)
  }

  fileprivate init<D: ConcurrentDictionary & Sendable>(
    of type: D.Type, _ trial: DrawLoopTrial, isShared: Bool
  ) async where D.Key == Int, D.Value == Int {
    let dictionaries = (0..<(isShared ? 1 : trial.threads)).map { _ in D() }
    for dictionary in dictionaries {
      for key in 0..<trial.entries { await dictionary.setValue(key, forKey: key) }
    }
    loops = (0..<trial.threads).map { index in
      let dictionary = dictionaries[index % dictionaries.count]
      guard trial.batch > 1 else {
        return { await DrawLoop.run(on: dictionary, &$0, until: $1) }
      }
      return { await DrawLoop.runBatches(of: trial.batch, on: dictionary, &$0, until: $1) }
    }
    countWrongKeys = {
      var count = 0
      for dictionary in dictionaries {
        for key in 0..<trial.entries {
          let value = await dictionary.value(forKey: key)
          if value.map({ $0 & (trial.entries - 1) }) != key { count += 1 }
        }
      }
      return count
    }
  }

  private init(map: ForeignMapHandle, _ trial: DrawLoopTrial) {
    map.use { map in
      for key in 0..<Int64(trial.entries) { cp_set(map, key, key) }
    }
    loops = (0..<trial.threads).map { _ in
      { draws, stop in map.use { cp_run_loop($0, &draws, stop.address) } }
    }
    countWrongKeys = {
      map.use { map in
        (0..<Int64(trial.entries)).count { key in
          var value: Int64 = 0
          return !cp_get(map, key, &value) || value & Int64(trial.entries - 1) != key
        }
      }
    }
  }
}

private struct LoopOfDictionary: DictionaryVisitor {
  typealias Key = Int
  typealias Value = Int

  let trial: DrawLoopTrial
  let isShared: Bool

  func visit<D: ConcurrentDictionary & Sendable>(_ type: D.Type) async -> DrawLoopSubject
  where D.Key == Int, D.Value == Int {
    await DrawLoopSubject(of: D.self, trial, isShared: isShared)
  }
}
