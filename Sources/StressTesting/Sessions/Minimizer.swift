import WeakCollections

/// A scenario that a `Minimizer` can make smaller.
package protocol Reducible: Sendable {
  /// Valid scenarios that are smaller than this one. Those that lack most come first.
  var reductions: [Self] { get }
}

/// Minimizes a failing scenario by trying one reduction after another.
package struct Minimizer<Candidate: Reducible, Failure: Sendable>: Sendable {
  /// Runs a scenario and returns its failure; `nil` if it succeeds.
  private let attempt: @Sendable (Candidate) async -> Failure?

  /// - Parameter attempt: Runs a scenario and returns its failure; `nil` if it succeeds.
  package init(_ attempt: @escaping @Sendable (Candidate) async -> Failure?) {
    self.attempt = attempt
  }

  /// Returns the smallest failing scenario that repeated reduction finds, and its failure.
  ///
  /// - Parameters:
  ///   - scenario: A failing scenario.
  ///   - failure: Its failure.
  ///   - suspects: Small scenarios to run first.
  ///   - isOutOfTime: Returns true to end the minimization early, with its result so far.
  package func minimize(
    _ scenario: Candidate, failing failure: Failure, suspects: [Candidate] = [],
    isOutOfTime: @Sendable () -> Bool = { false }
  ) async -> (scenario: Candidate, failure: Failure) {
    var best = (scenario: scenario, failure: failure)
    if let small = await firstFailing(of: suspects, isOutOfTime) { best = small }
    var candidates = best.scenario.reductions
    var position = 0
    var misses = 0
    // After a reduction that still fails, the loop continues at the same position. The reductions
    // before that position have just been tried without a failure, so they come last.
    while misses < candidates.count, !isOutOfTime() {
      let candidate = candidates[position % candidates.count]
      if let failure = await attempt(candidate) {
        best = (candidate, failure)
        candidates = candidate.reductions
        misses = 0
      } else {
        position += 1
        misses += 1
      }
    }
    return best
  }

  private func firstFailing(
    of candidates: [Candidate], _ isOutOfTime: @Sendable () -> Bool
  ) async -> (scenario: Candidate, failure: Failure)? {
    for candidate in candidates {
      if isOutOfTime() { return nil }
      if let failure = await attempt(candidate) { return (candidate, failure) }
    }
    return nil
  }
}

extension Violation {
  /// Returns the smallest scenarios that could fail in the same way: pairs of concurrent
  /// operations. If the check found operations that cannot come next, each pair has one of these.
  ///
  /// A rare interleaving of real threads occurs sooner if the scenario has no other operations.
  func suspects(in scenario: Scenario) -> [Scenario] {
    guard let recording else { return [] }
    let all = recording.operations.indices.filter {
      recording.operations[$0].lane < scenario.threads.count
    }
    let stuck = Set(partialLinearization?.stuck.compactMap { $0 } ?? []).intersection(all)
    let first = stuck.isEmpty ? all : stuck.sorted()
    let pairs = first.flatMap { one in
      all.compactMap { other -> Scenario? in
        let (one, other) = (recording.operations[one], recording.operations[other])
        guard one.lane != other.lane, one.overlaps(other) else { return nil }
        return scenario.reduced(to: [one.step], [other.step])
      }
    }
    return pairs.filter { $0.defect == nil }
  }
}

extension RecordedOperation {
  fileprivate func overlaps(_ other: RecordedOperation) -> Bool {
    call < other.return ?? .max && other.call < self.return ?? .max
  }
}

extension Scenario {
  /// Returns a scenario with a thread for each list of steps of this scenario.
  fileprivate func reduced(to steps: [Step]...) -> Scenario {
    var reduced = Scenario(collection, steps.map { ThreadPlan($0) })
    reduced.reentrant = reentrant.intersection(reduced.objects)
    return reduced
  }
}

/// Divides the indices below `count` into halves, quarters and so on, down to blocks of two.
func blocks(of count: Int) -> [Range<Int>] {
  sequence(first: count / 2) { $0 > 3 ? $0 / 2 : nil }.filter { $0 > 1 }.flatMap { size in
    stride(from: 0, to: count, by: size).map { $0..<Swift.min($0 + size, count) }
  }
}

// The order of the reductions: threads, steps, special roles, keys, objects, numbers.
extension Scenario: Reducible {
  package var reductions: [Scenario] {
    let candidates =
      withoutManyThreads + withoutOneThread + withoutManySteps + withoutOneStep
      + withoutSpecialRoles + withOneKeyLess
      + withOneObjectLess + [renumbered]
    return candidates.filter { $0 != self && $0.defect == nil }
  }

  private var withoutManyThreads: [Scenario] {
    blocks(of: threads.count).map { block in
      block.reversed().reduce(self) { $0.withoutThread(at: $1) }.withoutIdleReentrants
    }
  }

  private var withoutOneThread: [Scenario] {
    threads.indices.filter { _ in threads.count > 1 }
      .map { withoutThread(at: $0).withoutIdleReentrants }
  }

  private func withoutThread(at index: Int) -> Scenario {
    var smaller = self
    smaller.threads.remove(at: index)
    for other in smaller.threads.indices {
      guard let birth = smaller.threads[other].birth else { continue }
      // A thread without its parent exists from the beginning.
      smaller.threads[other].birth =
        birth.parent == index
        ? nil : Birth(parent: birth.parent - (birth.parent > index ? 1 : 0), step: birth.step)
    }
    return smaller
  }

  private var withoutManySteps: [Scenario] {
    threads.indices.flatMap { thread in
      blocks(of: threads[thread].steps.count).map { without($0, of: thread) }
    }
  }

  private var withoutOneStep: [Scenario] {
    threads.indices.flatMap { thread in
      threads[thread].steps.indices.map { without($0..<$0 + 1, of: thread) }
    }
  }

  private func without(_ range: Range<Int>, of thread: Int) -> Scenario {
    var smaller = self
    smaller.threads[thread].steps.removeSubrange(range)
    for other in smaller.threads.indices where threads[other].birth?.parent == thread {
      let step = threads[other].birth!.step
      smaller.threads[other].birth!.step =
        step >= range.upperBound ? step - range.count : Swift.min(step, range.lowerBound)
    }
    return smaller.withoutIdleReentrants
  }

  private var withoutSpecialRoles: [Scenario] {
    let plainThreads = threads.indices.flatMap { index -> [Scenario] in
      var unpinned = self
      unpinned.threads[index].isPinned = false
      var there = self
      there.threads[index].birth = nil
      return [unpinned, there]
    }
    return plainThreads
      + reentrant.sorted().map { object in
        var smaller = self
        smaller.reentrant.remove(object)
        return smaller
      }
  }

  private var withOneKeyLess: [Scenario] {
    let keys = keys.sorted()
    return zip(keys, keys.dropFirst()).map { kept, gone in
      mapping(key: { $0 == gone ? kept : $0 }, object: { $0 })
    }
  }

  private var withOneObjectLess: [Scenario] {
    guard collection != .dictionary else { return [] }
    let objects = objects.sorted()
    return zip(objects, objects.dropFirst()).map { kept, gone in
      mapping(key: { $0 }, object: { $0 == gone ? kept : $0 })
    }
  }

  /// The scenario with keys and objects numbered from 0, in the order of their first use.
  private var renumbered: Scenario {
    func numbers(_ values: [Int]) -> [Int: Int] {
      values.reduce(into: [:]) { numbers, value in
        if numbers[value] == nil { numbers[value] = numbers.count }
      }
    }
    let keys = numbers(steps.compactMap(\.key))
    let objects = numbers(steps.compactMap(\.object))
    return mapping(key: { keys[$0]! }, object: { objects[$0]! })
  }

  private func mapping(key: (Int) -> Int, object: (Int) -> Int) -> Scenario {
    var mapped = self
    mapped.reentrant = Set(reentrant.map(object))
    for thread in threads.indices {
      mapped.threads[thread].steps = threads[thread].steps.map {
        Scenario.Step($0.verb, key: $0.key.map(key), object: $0.object.map(object))
      }
    }
    return mapped
  }

  private var withoutIdleReentrants: Scenario {
    var smaller = self
    smaller.reentrant.formIntersection(objects)
    return smaller
  }
}
