import Foundation
import RuntimeInspection
import SeededTesting
import Synchronization
import Testing

@Suite(
  .serialized, .timeLimit(.minutes(10)), .enabled(if: RetainSearch.capability == .available))
struct RetainMutationTests {
  /// Threads that change a graph until `stop()`; each changes what its own object retains.
  private final class Mutators: Sendable {
    private let isStopped = Atomic(false)
    private let ended = DispatchGroup()

    init(_ holders: [Holder]) {
      for holder in holders {
        ended.enter()
        Thread.detachNewThread { [self] in
          while !isStopped.load(ordering: .relaxed) { Self.change(holder) }
          ended.leave()
        }
      }
    }

    func stop() {
      isStopped.store(true, ordering: .relaxed)
      ended.wait()
    }

    private static func change(_ holder: Holder) {
      holder.list = (0..<20).map { _ in Holder() }
      holder.byName = ["a": Holder(), "b": Holder()]
      holder.anything = Large(holder: Holder())
      let next = Holder()
      holder.action = { next.count += 1 }
      holder.state = .loaded(next, "\(next.count)")
      holder.generic = Generic()
      holder.generic?.element = next
    }
  }

  @Test func `a graph that threads change is searched safely, and its cycle found`() {
    let suspect = Holder()
    let mutated = [Holder(), Holder()]
    suspect.members = Set(mutated.map(Key.init))
    suspect.action = { suspect.count += 1 }
    defer { suspect.breakCycles() }
    let mutators = Mutators(mutated)
    let search = RetainSearch(timeout: .seconds(2), findsTasks: false)
    let successes = TestOptions.operations(full: 5000) / 50
    // A search fails if it needs a lock that a thread holds at that moment, more often under a
    // sanitizer and on a busy machine. So searches go on until enough have succeeded.
    var (found, cycles) = ([RetainFinding](), 0)
    while cycles < successes, !Task.isCancelled {
      found.append(search.find(suspect))
      if found.last?.path?.origin == .cycle { cycles += 1 }
    }
    // The walk from `another` visits everything that the threads change.
    let another = Holder()
    another.list = mutated
    var unheld: [RetainFinding] = []
    while unheld.count(where: \.isNone) < successes / 4, !Task.isCancelled {
      unheld.append(search.find(another))
    }
    mutators.stop()
    mutated.forEach { $0.breakCycles() }
    #expect(found.allSatisfy { $0.path.map { $0.origin == .cycle } ?? !$0.isNone }, "\(found)")
    #expect(unheld.allSatisfy { $0.path == nil }, "\(unheld)")
  }

  @Test func `concurrent searches find their cycles`() {
    // Relaxed: the end of `concurrentPerform` orders all additions before the last load.
    let found = Atomic(0)
    DispatchQueue.concurrentPerform(iterations: 40) { _ in
      let holder = Holder()
      holder.other = holder
      let path = findPatiently(holder).path
      holder.breakCycles()
      if path?.edges.map(\.label) == [".other"] { found.add(1, ordering: .relaxed) }
    }
    #expect(found.load(ordering: .relaxed) == 40)
  }
}
