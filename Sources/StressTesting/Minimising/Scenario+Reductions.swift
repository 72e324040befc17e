import WeakCollections

extension Scenario {
  /// Scenarios with one thing less, those with much less first; all can be run.
  var reductions: [Scenario] {
    let candidates =
      withoutManyThreads + withoutOneThread + withoutManySteps + withoutOneStep
      + withoutSpecialRoles + withOneKeyLess
      + withOneObjectLess + [renumbered]
    return candidates.filter { $0 != self && $0.defect == nil }
  }

  private var withoutManyThreads: [Scenario] {
    Self.blocks(of: threads.count).map { block in
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
      // An orphan is there from the start.
      smaller.threads[other].birth =
        birth.parent == index
        ? nil : Birth(parent: birth.parent - (birth.parent > index ? 1 : 0), step: birth.step)
    }
    return smaller
  }

  private var withoutManySteps: [Scenario] {
    threads.indices.flatMap { thread in
      Self.blocks(of: threads[thread].steps.count).map { without($0, of: thread) }
    }
  }

  /// Halves, quarters and so on of so many things in a row, down to two.
  private static func blocks(of count: Int) -> [Range<Int>] {
    sequence(first: count / 2) { $0 > 3 ? $0 / 2 : nil }.filter { $0 > 1 }.flatMap { size in
      stride(from: 0, to: count, by: size).map { $0..<Swift.min($0 + size, count) }
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

  /// Keys and objects numbered from 0 in the order in which they are named.
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
