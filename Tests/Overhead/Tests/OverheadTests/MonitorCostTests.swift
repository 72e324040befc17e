import Foundation
import LeakMonitoring
import RuntimeInspection
import Synchronization
import Testing

/// The cost of the leak monitor with a million objects of a thousand classes. The monitor records
/// no source locations and backtraces, which is the default in a release build.
@Suite(.serialized) struct MonitorCostTests {
  private static let rounds = 7
  private static let count = 1_000_000

  @Test func `measure the cost of the monitor with a million objects`() throws {
    let makers = Kinds.makers
    try #require(Set(makers.map { ObjectIdentifier(type(of: $0())) }).count == 1000)
    MemoryLeakMonitor.isEnabled = true
    try Self.round(makers, Figures(), Figures())  // The first one warms up.
    let (nanoseconds, bytes) = (Figures(), Figures())
    for _ in 0..<Self.rounds { try Self.round(makers, nanoseconds, bytes) }
    print("\(Table.text(bytes.rows, unit: "bytes"))\n\n\(Table.text(nanoseconds.rows, unit: "ns"))")
  }

  private static func round(
    _ makers: [Maker], _ nanoseconds: Figures, _ bytes: Figures
  ) throws {
    let monitor = MemoryLeakMonitor()
    monitor.sampling = .none
    var objects = made(count, makers)
    let before = try HeapSnapshot.take().usedBytes
    nanoseconds.time("validate a new object", operations: count) {
      for object in objects { monitor.validate(object, max: .max) }
    }
    let after = try HeapSnapshot.take().usedBytes
    bytes.add("a tracked object", Double(after - before) / Double(count))
    nanoseconds.time("validate a tracked object again", operations: count) {
      for object in objects { monitor.validate(object, max: .max) }
    }
    nanoseconds.time("read the count of one class of 1,000 objects", operations: 1000) {
      for object in objects[..<1000] { _ = monitor.liveCount(of: type(of: object)) }
    }
    var counts: [String: Int] = [:]
    nanoseconds.time("count the objects of all classes, per object", operations: count) {
      counts = monitor.liveCounts
    }
    try #require(counts.count == 1000 && counts.values.allSatisfy { $0 == count / 1000 })
    for (name, isCounting) in [("alone", false), ("alone, again", false), ("meanwhile", true)] {
      let longest = longestMeanwhile(made(count / 5, makers), monitor, isCounting: isCounting)
      let row = isCounting ? "while another thread counts all objects" : "of a thread \(name)"
      nanoseconds.add("the longest of 200,000 `validate`s \(row)", longest)
    }
    nanoseconds.time("remove a tracked object", operations: count) {
      for object in objects { monitor.remove(object) }
    }
    for object in objects { monitor.validate(object, max: .max) }
    // The monitor is not notified when the objects die. New objects reuse their memory.
    objects = []
    objects = made(count, makers)
    nanoseconds.add(
      "the longest of 1,000,000 `validate`s after all objects died", longest(objects, monitor))
    let live = monitor.liveCounts.values.reduce(0, +)
    try #require(withExtendedLifetime(objects) { live == count })
  }

  private static func made(_ count: Int, _ makers: [Maker]) -> [Counted] {
    (0..<count).map { makers[$0 % makers.count]() }
  }

  /// Validates the objects; returns the duration of the longest call in nanoseconds.
  private static func longest(_ objects: [Counted], _ monitor: MemoryLeakMonitor) -> Double {
    var longest = Duration.zero
    for object in objects {
      let start = ContinuousClock.now
      monitor.validate(object, max: .max)
      longest = max(longest, .now - start)
    }
    return longest / .nanoseconds(1)
  }

  /// Returns the result of `longest` on a new thread. Meanwhile this thread counts all objects
  /// repeatedly if `isCounting`, and otherwise waits.
  private static func longestMeanwhile(
    _ objects: [Counted], _ monitor: MemoryLeakMonitor, isCounting: Bool
  ) -> Double {
    let result = Result()
    Thread.detachNewThread {
      let longest = longest(objects, monitor)
      result.nanoseconds.withLock { $0 = longest }
      result.isKnown.signal()
    }
    while isCounting, result.nanoseconds.withLock({ $0 == nil }) { _ = monitor.liveCounts }
    result.isKnown.wait()
    return result.nanoseconds.withLock { $0! }
  }

  private final class Result: Sendable {
    let nanoseconds = Mutex<Double?>(nil)
    let isKnown = DispatchSemaphore(value: 0)
  }
}

/// The figures of several rounds, by name, in the order of their first addition.
private final class Figures {
  private(set) var rows: [(name: String, values: [Double])] = []

  func add(_ name: String, _ value: Double) {
    if let index = rows.firstIndex(where: { $0.name == name }) {
      rows[index].values.append(value)
    } else {
      rows.append((name, [value]))
    }
  }

  func time(_ name: String, operations: Int, _ body: () -> Void) {
    let start = ContinuousClock.now
    body()
    add(name, (ContinuousClock.now - start) / .nanoseconds(1) / Double(operations))
  }
}

// MARK: - A thousand classes

private typealias Counted = any AnyObject & Sendable
private typealias Maker = () -> Counted

private protocol Digit {}

private final class Kind<A: Digit, B: Digit, C: Digit>: Sendable {
  let number = 1
}

private enum Kinds {
  private enum D0: Digit {}
  private enum D1: Digit {}
  private enum D2: Digit {}
  private enum D3: Digit {}
  private enum D4: Digit {}
  private enum D5: Digit {}
  private enum D6: Digit {}
  private enum D7: Digit {}
  private enum D8: Digit {}
  private enum D9: Digit {}

  /// A function for each of the thousand classes, which creates an instance.
  static var makers: [Maker] {
    let digits: [any Digit.Type] = [
      D0.self, D1.self, D2.self, D3.self, D4.self, D5.self, D6.self, D7.self, D8.self, D9.self,
    ]
    return digits.flatMap { a in digits.flatMap { b in digits.map { c in maker(a, b, c) } } }
  }

  private static func maker<A: Digit, B: Digit, C: Digit>(
    _: A.Type, _: B.Type, _: C.Type
  ) -> Maker {
    { Kind<A, B, C>() }
  }
}
