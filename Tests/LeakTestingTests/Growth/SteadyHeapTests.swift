import Foundation
import LeakMonitoring
import RuntimeInspection
import Testing
import WeakCollections

@testable import LeakTesting

/// The number of times that each body is judged: 1, or WEAK_COLLECTIONS_REPETITIONS.
private var repetitions: Int {
  ProcessInfo.processInfo.environment["WEAK_COLLECTIONS_REPETITIONS"].flatMap(Int.init) ?? 1
}

/// Judges bodies, and records those that are misjudged.
private func judge(_ bodies: [RepeatedBody], expectingGrowth: Bool) async {
  for body in bodies {
    for repetition in 1...repetitions {
      let failures = RecordedFailures()
      let run = body.make()
      await failures.run { await expectSteadyHeap(run) }
      let messages = failures.all.map(\.message)
      if expectingGrowth {
        #expect(
          messages.count == 1 && messages[0].contains("grows linearly"),
          "\(body.name), repetition \(repetition): \(messages)")
      } else {
        #expect(messages == [], "\(body.name), repetition \(repetition)")
      }
    }
  }
}

/// Returns the failures of a test of growth, and its line.
private func failuresOfHistory() async -> ([FixtureFailure], line: UInt) {
  let failures = RecordedFailures()
  let history = History()
  let line = UInt(#line + 2)
  await failures.run {
    await expectSteadyHeap(of: Entry.self, per: 5) { history.entries.append(Entry()) }
  }
  return (failures.all, line)
}

/// In child processes, because concurrent tests would change the heap.
@Suite(
  .serialized, .timeLimit(.minutes(60)), .enabled(if: HeapSnapshot.heapCapability == .available))
struct SteadyHeapTests {
  @Test func `every leaking body is reported as growing`() async {
    #expect(RepeatedBody.leaking.count == 20)
    await #expect(processExitsWith: .success) {
      await judge(RepeatedBody.leaking, expectingGrowth: true)
    }
  }

  @Test func `no steady body is reported as growing`() async {
    #expect(RepeatedBody.steady.count == 20)
    await #expect(processExitsWith: .success) {
      await judge(RepeatedBody.steady, expectingGrowth: false)
    }
  }

  @Test func `the failure has the type, its rate, the line to change and the path`() async {
    await #expect(processExitsWith: .success) {
      let (failures, line) = await failuresOfHistory()
      let failure = try #require(failures.first)
      #expect(failures.count == 1 && failure.line == line)
      let first = failure.message.prefix { $0 != "\n" }
      #expect(
        first.hasPrefix(
          "LeakTestingTests.Entry: the number of live objects grows linearly, by 1.0 in each run "
            + "(1.0 to 1.0 with a confidence of 99.9 %), from 25 to 325 in 300 runs"),
        "\(failure.message)")
      #expect(
        failure.message.contains("  .entries[x] -> LeakTestingTests.Entry"), "\(failure.message)")
      #expect(
        first.contains("; likely line to change: LeakTestingTests.History.entries ("),
        "\(failure.message)")
    }
  }

  @Test func `classes other than the named ones may grow`() async {
    let failures = RecordedFailures()
    let history = History()
    await failures.run {
      await expectSteadyHeap(of: Unused.self) { history.entries.append(Entry()) }
    }
    #expect(failures.all == [])
  }

  @Test func `the synchronous form counts too`() throws {
    let failures = RecordedFailures()
    let history = History()
    failures.run { expectSteadyHeapNow(history) }
    #expect(failures.all.map(\.message).first?.hasPrefix("LeakTestingTests.Entry: ") == true)
  }

  private func expectSteadyHeapNow(_ history: History) {
    expectSteadyHeap(of: Entry.self, per: 2) { history.entries.append(Entry()) }
  }
}

private final class History: @unchecked Sendable {
  var entries: [Entry] = []
}

private final class Entry {}
private final class Unused {}

/// A class that the monitor counts too.
private final class Visit: Sendable {
  init() { MemoryLeakMonitor.validate(self, max: .max) }
}

struct SteadyHeapWithoutSnapshotTests {
  @Test func `an error of the body ends the rounds`() async {
    struct Refusal: Error {}
    await #expect(throws: Refusal.self) {
      try await expectSteadyHeap(of: Visit.self) { throw Refusal() }
    }
  }

  @Test func `classes that the monitor counts need no snapshot`() async {
    let failures = RecordedFailures()
    await MemoryLeakMonitor.withIsolation {
      var visits: [Visit] = []
      await failures.run {
        await expectSteadyHeap(of: Visit.self, rounds: 16) { visits.append(Visit()) }
      }
      withExtendedLifetime(visits) {}
      await failures.run {
        await expectSteadyHeap(of: Visit.self, rounds: 16) { _ = Visit() }
      }
    }
    let first = failures.all.first?.message ?? ""
    #expect(failures.all.count == 1)
    #expect(first.hasPrefix("LeakTestingTests.Visit: the number of live objects grows linearly"))
  }

  @Test(.enabled(if: HeapSnapshot.heapCapability != .available))
  func `the test fails where objects cannot be counted`() async {
    let failures = RecordedFailures()
    await MemoryLeakMonitor.withIsolation {
      await failures.run {
        await expectSteadyHeap {}
        await expectSteadyHeap(of: Entry.self) {}
      }
    }
    #expect(failures.all.count == 2)
    #expect(failures.all.allSatisfy { $0.message.hasPrefix("expectSteadyHeap checked nothing: ") })
    #expect(failures.all.last?.message.contains("does not count LeakTestingTests.Entry") == true)
  }
}
