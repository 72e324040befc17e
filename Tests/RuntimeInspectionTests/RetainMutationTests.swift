import Foundation
import RuntimeInspection
import SeededTesting
import Synchronization
import Testing

@Suite(.serialized, .enabled(if: RetainSearch.capability == .available))
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
    let tries = TestOptions.operations(standard: 5000) / 25
    let found = (0..<tries).map { _ in search.find(suspect) }
    // The walk from `another` visits everything that the threads change.
    let another = Holder()
    another.list = mutated
    let unheld = (0..<tries / 4).map { _ in findPatiently(another, with: search) }
    mutators.stop()
    mutated.forEach { $0.breakCycles() }
    let cycles = found.count { $0.path?.origin == .cycle }
    // A search fails if it needs a lock that a thread holds at that moment, more often under a
    // sanitizer.
    #expect(cycles > tries / 2, "\(found.filter { $0.path == nil })")
    let isEmpty = unheld.count(where: \.isNone) > tries / 8
    #expect(isEmpty && unheld.allSatisfy { $0.path == nil }, "\(unheld)")
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

  @Test func `measure how long a search takes`() throws {
    let holder = Holder()
    holder.action = { holder.count += 1 }
    defer { holder.breakCycles() }
    let search = RetainSearch(timeout: .seconds(2))
    var times: [Duration] = []
    for _ in 0..<50 {
      let began = ContinuousClock.now
      if search.find(holder).path == nil { continue }
      times.append(ContinuousClock.now - began)
    }
    times.sort()
    #expect(times.count > 25)
    print("a search: median \(times[times.count / 2]), from \(times[0]) to \(times.last!)")
  }
}
