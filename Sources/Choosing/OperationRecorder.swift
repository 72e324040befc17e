// Counters of the operations of a program on a collection. Each thread counts in its own stripe,
// unless the numbers of two threads have the same hash, so counting hardly disturbs them. The
// counts also yield an estimate of the number of threads that use the collection: the number of
// equally busy threads with the same sum of squares, (Σn)² ÷ Σn². A thread that only fills the
// collection at the start hardly affects the estimate.

import Primitives

/// A counter of operations by kind and thread, which also samples the entries.
final class OperationRecorder: Sendable {
  /// The operations of `OperationShares`.
  enum Operation: Int, CaseIterable {
    case read, insert, update, remove, iterate
  }

  /// The counts of the threads with one hash. Every operation on its atomics is relaxed: each is an
  /// independent sum, and no other memory is read because of one. They pair with the loads in
  /// `sum`, which may miss concurrent operations.
  private final class Stripe: Sendable {
    let read = Atomic(0)
    let insert = Atomic(0)
    let update = Atomic(0)
    let remove = Atomic(0)
    let iterate = Atomic(0)
    let samples = Atomic(0)
    let entries = Atomic(0)
    let live = Atomic(0)
    // Other threads write to the adjacent stripes.
    private let padding = CacheLinePadding()

    func note(_ operation: Operation, _ count: Int) {
      switch operation {
      case .read: read.wrappingAdd(count, ordering: .relaxed)
      case .insert: insert.wrappingAdd(count, ordering: .relaxed)
      case .update: update.wrappingAdd(count, ordering: .relaxed)
      case .remove: remove.wrappingAdd(count, ordering: .relaxed)
      case .iterate: iterate.wrappingAdd(count, ordering: .relaxed)
      }
    }

    func count(_ operation: Operation) -> Int {
      switch operation {
      case .read: read.load(ordering: .relaxed)
      case .insert: insert.load(ordering: .relaxed)
      case .update: update.load(ordering: .relaxed)
      case .remove: remove.load(ordering: .relaxed)
      case .iterate: iterate.load(ordering: .relaxed)
      }
    }
  }

  /// The number of operations for each sample of the entries.
  private static var operationsPerSample: Int { 256 }

  private let stripes = (0..<64).map { _ in Stripe() }

  private var stripe: Stripe {
    // Threads have adjacent numbers, which the highest bits of a product spread.
    stripes[Int((CurrentThread.number &* 0x9E37_79B9_7F4A_7C15) >> 58)]
  }

  /// Counts `count` operations. Sometimes samples `entries`, the numbers of stored and of live
  /// ones.
  func note(
    _ operation: Operation, count: Int = 1, entries: () -> (stored: Int, live: Int)
  ) {
    guard count > 0 else { return }
    let stripe = stripe
    let before = Operation.allCases.reduce(0) { $0 + stripe.count($1) }
    stripe.note(operation, count)
    let perSample = Self.operationsPerSample
    guard before / perSample != (before + count) / perSample else { return }
    let entries = entries()
    stripe.samples.wrappingAdd(1, ordering: .relaxed)
    stripe.entries.wrappingAdd(entries.stored, ordering: .relaxed)
    stripe.live.wrappingAdd(entries.live, ordering: .relaxed)
  }

  var operations: Int { Operation.allCases.reduce(0) { $0 + count($1) } }

  func count(_ operation: Operation) -> Int {
    stripes.reduce(0) { $0 + $1.count(operation) }
  }

  /// The shares in percent; nil if there are no operations.
  var shares: OperationShares? {
    let all = Double(operations)
    guard all > 0 else { return nil }
    func share(_ operation: Operation) -> Double { 100 * Double(count(operation)) / all }
    return OperationShares(
      read: share(.read), insert: share(.insert), update: share(.update), remove: share(.remove),
      iterate: share(.iterate))
  }

  /// The estimated number of threads, at least 1.
  var threads: Int {
    let counts = stripes.map { stripe in
      Double(Operation.allCases.reduce(0) { $0 + stripe.count($1) })
    }
    let sum = counts.reduce(0, +)
    let squares = counts.reduce(0) { $0 + $1 * $1 }
    return squares > 0 ? max(1, Int((sum * sum / squares).rounded())) : 1
  }

  /// Returns the mean entries of the samples, and the live fraction. Calls `now` if there are no
  /// samples.
  func entries(now: () -> (stored: Int, live: Int)) -> (mean: Int, liveFraction: Double) {
    var samples = sum { $0.samples.load(ordering: .relaxed) }
    var stored = sum { $0.entries.load(ordering: .relaxed) }
    var live = sum { $0.live.load(ordering: .relaxed) }
    if samples == 0 {
      samples = 1
      (stored, live) = now()
    }
    guard stored > 0 else { return (1, 1) }
    return (max(1, stored / samples), min(1, Double(live) / Double(stored)))
  }

  private func sum(_ counter: (Stripe) -> Int) -> Int { stripes.reduce(0) { $0 + counter($1) } }
}
