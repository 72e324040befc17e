#if Interleaving
  import Foundation
  import Interleaving
  import Testing

  @testable import StressTesting

  /// The declarative test under the scheduler.
  @Suite(.serialized) struct StressSchedulesTests {
    private let options = StressOptions.thorough(.schedules)

    @Test func `locks taken in two orders are a deadlock, and both calls are named`() async throws {
      let failure = await failure(options) { options async throws(StressFailure) in
        try await stress(makeSubject: { Accounts() }, options: options) {
          StressOperation("transferForth") { $0.transferForth() }
          StressOperation("transferBack") { $0.transferBack() }
        }
      }
      let found = try #require(failure)
      #expect(found.kind == .deadlock)
      #expect(found.summary.contains("transferForth() in thread"))
      #expect(found.summary.contains("transferBack() in thread"))
    }

    @Test func `a call that spins without end is named, and so is a missing spinHint()`()
      async throws
    {
      for hasHint in [true, false] {
        let failure = await failure(options) { options async throws(StressFailure) in
          try await stress(makeSubject: { SpinningLatch() }, options: options) {
            if hasHint {
              StressOperation("pass") { $0.pass() }
            } else {
              StressOperation("passWithoutHint") { $0.passWithoutHint() }
            }
          }
        }
        let found = try #require(failure)
        #expect(found.kind == .neverReturned)
        let name = hasHint ? "pass()" : "passWithoutHint()"
        #expect(found.summary.contains("not returned: \(name)"))
        let place = #/thread 0 repeats \w+ .*Subjects\.swift:\d+ (\w+\(\))/#
        #expect(found.summary.firstMatch(of: place).map { "\($0.output.1)" } == name)
        #expect(found.summary.contains("a loop that waits needs spinHint()") == !hasHint)
      }
    }

    @Test func `a schedule is replayed to the same failure, with few calls and switches`()
      async throws
    {
      func failure(_ options: StressOptions) async -> StressFailure? {
        await StressTestingTests.failure(options) { options async throws(StressFailure) in
          try await stress(makeSubject: { CheckThenActCounter() }, options: options) {
            StressOperation("increment") { $0.increment() }
            StressOperation("value") { $0.value }
          }
        }
      }
      let first = try #require(await failure(options))
      #expect(first.description.contains("with 2 switches"))
      var replaying = options
      replaying.replay = first.replay
      replaying.seed = 1
      for _ in 0..<3 {
        let again = try #require(await failure(replaying))
        #expect(again.kind == first.kind)
        #expect(again.summary == first.summary)
        #expect(again.details == first.details)
        #expect(again.replay == first.replay)
      }
    }

    @Test func `a lock-free counter passes the test of lock-freedom, and one with a lock fails`()
      async throws
    {
      var options = StressOptions.short
      options.requiresLockFreedom = true
      options.drivers = [.schedules]
      let summary = try await stress(makeSubject: { Counter() }, options: options) {
        StressOperation("increment") { $0.increment() }
      }
      #expect(summary.scheduledExecutions > 0)
      let failure = await failure(options) { options async throws(StressFailure) in
        try await stress(makeSubject: { LockedCounter() }, options: options) {
          StressOperation("increment") { $0.increment() }
        }
      }
      let found = try #require(failure)
      #expect(found.kind == .notLockFree)
      #expect(found.summary.contains("increment() in thread"))
    }

    @Test func `an operation that is reserved for a role is called by one thread`() async throws {
      var short = StressOptions.short
      short.drivers = [.schedules]
      let reserved = await failure(short) { options async throws(StressFailure) in
        try await stress(makeSubject: { ProducerLog() }, model: [Int](), options: options) {
          StressOperation("push", 1...2) {
            $0.push($1)
          } model: {
            $0.append($1)
          }
          .reserved(for: "owner")
          StressOperation("all") {
            $0.all
          } model: {
            $0
          }
        }
      }
      #expect(reserved == nil)
      let shared = await failure(options) { options async throws(StressFailure) in
        try await stress(makeSubject: { ProducerLog() }, model: [Int](), options: options) {
          StressOperation("push", 1...2) {
            $0.push($1)
          } model: {
            $0.append($1)
          }
          StressOperation("all") {
            $0.all
          } model: {
            $0
          }
        }
      }
      #expect(shared?.kind == .notLinearizable)
    }

    @Test func `a relaxed counter is linearizable if calls are fenced, and not otherwise`()
      async throws
    {
      var options = options
      options.scenarios = 10
      func failure(_ options: StressOptions) async -> StressFailure? {
        await StressTestingTests.failure(options) { options async throws(StressFailure) in
          try await stress(makeSubject: { Counter() }, options: options) {
            StressOperation("increment") { $0.increment() }
            StressOperation("value") { $0.value }
          }
        }
      }
      #expect(await failure(options) == nil)
      options.fencesCalls = false
      options.scenarios = nil
      #expect(await failure(options)?.kind == .notLinearizable)
    }

    @Test func `a subject with real locks is refused`() async throws {
      let failure = await failure(options) { options async throws(StressFailure) in
        try await stress(makeSubject: { HalfControlled() }, options: options) {
          StressOperation("act") { $0.act() }
        }
      }
      let found = try #require(failure)
      #expect(found.kind == .uncontrolledSubject)
      #expect(found.summary.contains("real lock"))
    }

    private final class HalfControlled: Sendable {
      private let lock = RealLock()
      private let count = Atomic(0)

      func act() { lock.withLock { count.wrappingAdd(1, ordering: .relaxed) } }
    }

    /// Expects that a subject fails unless the options name threads alone.
    private func expectRefusal<Subject: Sendable>(
      _ message: String, makeSubject: @escaping @Sendable () -> Subject,
      _ call: @escaping @Sendable (Subject) -> Void
    ) async throws {
      func failure(_ drivers: Set<StressOptions.Driver>?) async -> StressFailure? {
        var options = StressOptions.short
        options.drivers = drivers
        return await StressTestingTests.failure(options) { options async throws(StressFailure) in
          try await stress(makeSubject: makeSubject, options: options) {
            StressOperation("call", call)
          }
        }
      }
      for drivers in [nil, [.schedules], [.threads, .schedules]] as [Set<StressOptions.Driver>?] {
        let found = try #require(await failure(drivers))
        #expect(found.kind == .uncontrolledSubject)
        #expect(found.summary.contains(message))
        #expect(found.summary.contains("options.drivers = [.threads]"))
      }
      #expect(await failure([.threads]) == nil)
    }

    @Test func `a subject without steps is refused`() async throws {
      try await expectRefusal("took no step", makeSubject: { UncontrolledCounter() }) {
        _ = $0.increment()
      }
    }

    @Test func `a subject that waits for a lock of the system is refused`() async throws {
      try await expectRefusal("took no further step", makeSubject: { SystemLockCounter() }) {
        $0.increment()
      }
    }

    #if os(Linux)
      @Test func `a subject that sleeps is refused`() async throws {
        try await expectRefusal("hardly any schedule", makeSubject: { SleepingCounter() }) {
          $0.increment()
        }
      }
    #endif

    /// A counter with steps inside a lock of the system.
    private final class SystemLockCounter: Sendable {
      private let lock = NSLock()
      private let count = Atomic(0)

      func increment() { lock.withLock { _ = count.wrappingAdd(1, ordering: .relaxed) } }
    }

    /// A counter that sleeps between its steps.
    private final class SleepingCounter: Sendable {
      private let count = Atomic(0)

      func increment() {
        usleep(100)
        count.wrappingAdd(1, ordering: .relaxed)
      }
    }

    @Test func `a subject whose schedules cannot be repeated is refused`() async throws {
      let failure = await failure(options) { options async throws(StressFailure) in
        try await stress(makeSubject: { RandomSteps() }, options: options) {
          StressOperation("act") { $0.act() }
        }
      }
      #expect(try #require(failure).kind == .nondeterministicSubject)
    }

    @Test func `a schedule of other code is refused`() async throws {
      var options = options
      options.replay = "st1.schedule.0000.:0:.1sc:1"
      let other = await failure(options) { options async throws(StressFailure) in
        try await stress(makeSubject: { Counter() }, options: options) {
          StressOperation("increment") { $0.increment() }
        }
      }
      #expect(other?.kind == .unusableReplay)
      #expect(other?.summary.contains("other operations") == true)
    }
  }
#endif
