#if Interleaving
  import CShims
  import Interleaving
  import Testing

  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #elseif canImport(Darwin)
    import Darwin
  #endif

  @Suite(.serialized)
  struct ChildTests {
    private let plan = Exploration(strategy: .randomWalk, seed: 1, executions: 1000)

    @Test func `children that succeed report no failure`() throws {
      let outcome = try plan.runInChildren(batch: 300) { execution in
        execution.thread { execution.pause() }
        execution.runThreads()
      }
      #expect(outcome.failure == nil)
      #expect(outcome.executions == 1000)
    }

    @Test func `a trap is reported with the schedule that leads to it`() throws {
      let scenario: (Execution) -> Void = { execution in
        execution.thread("first") { execution.pause() }
        execution.thread("second") {
          execution.pause()
          if execution.now > 0, execution.currentThread == 2 { fatalError("the end") }
        }
        execution.runThreads()
      }
      let failed = try #require(try plan.runInChildren(scenario).failure)
      guard case .trap(_, let message) = failed.failure else {
        Issue.record("\(failed.failure)")
        return
      }
      #expect(message.contains("the end"))
      #expect(failed.threads == ["scenario", "first", "second"])
      #expect(!failed.schedule.decisions.isEmpty)
    }

    /// If the time passes before the execution reaches its loop, that is a hang all the same.
    @Test func `a loop without steps is a hang`() throws {
      let outcome = try plan.runInChildren(hangLimit: .milliseconds(200)) { execution in
        execution.thread {
          execution.pause()
          // Not empty, because the optimizer may remove an empty loop.
          while true { cws_consume(1) }
        }
        execution.runThreads()
      }
      #expect(outcome.failure?.failure == .hang)
    }

    /// Recurses until the stack is exhausted. The code after the call prevents a tail call.
    private static func descend(_ depth: Int) -> Int {
      let result = depth < 0 ? 0 : descend(depth + 1)
      cws_consume(result)
      return result ^ depth
    }

    @Test func `a stack overflow is reported as a trap`() throws {
      let outcome = try plan.runInChildren { execution in
        execution.thread { execution.require(Self.descend(0) == 1) }
        execution.runThreads()
      }
      guard case .trap = outcome.failure?.failure else {
        Issue.record("\(String(describing: outcome.failure?.failure))")
        return
      }
    }

    @Test func `an exploration ends when its progress closure returns false, or at its time limit`()
      throws
    {
      var plan = plan
      plan.executions = .max
      let scenario: (Execution) -> Void = { execution in
        execution.thread { execution.pause() }
        execution.runThreads()
      }
      let outcome = try plan.runInChildren(progress: { $0.executions < 100 }, scenario)
      #expect(outcome.failure == nil)
      #expect(outcome.executions >= 100)
      // However late the limit is noticed: no other limit ends this search.
      let short = try plan.runInChildren(timeLimit: .milliseconds(20), scenario)
      #expect(short.failure == nil)
      #expect(!short.isInterrupted)
    }

    @Test func `a failed assertion in a child is reported as an assertion`() throws {
      let outcome = try plan.runInChildren { execution in
        execution.thread { execution.require(false, "so it is") }
        execution.runThreads()
      }
      #expect(outcome.failure?.failure == .assertion("so it is"))
    }

    @Test func `an exit of the process without a signal is reported as a trap`() throws {
      let outcome = try plan.runInChildren { execution in
        execution.thread { _exit(0) }
        execution.runThreads()
      }
      #expect(outcome.failure?.failure == .trap(signal: 0, message: ""))
    }
  }
#endif
