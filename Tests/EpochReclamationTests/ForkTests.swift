import CForking
import EpochReclamation
import Primitives
import Testing
import Threading

// A child process has the memory of its parent at the fork, but only the thread that forked.
//
// Each test is a process of its own. A thread of another test could hold a lock of the system or of
// the runtime during the fork, and no thread of the child would ever release that lock.
@Suite(.disabled(if: Sanitizer.isThreadSanitizer, "it does not follow a fork of several threads"))
struct ForkTests {
  /// The steps of a child process, in order. The exit status is the number of the first step that
  /// fails.
  private final class Child {
    private let steps: [() -> Bool]

    init(_ steps: [() -> Bool]) {
      self.steps = steps
    }

    /// Returns 0 if all steps succeed, or the number of the first step that fails; -1 if the child
    /// crashes or does not end in time.
    func run(seconds: UInt32 = 600) -> Int32 {
      let me = Unmanaged.passUnretained(self)
      return cfk_run_in_child(
        { Unmanaged<Child>.fromOpaque($0!).takeUnretainedValue().firstFailure }, me.toOpaque(),
        seconds)
    }

    private var firstFailure: Int32 {
      Int32((steps.firstIndex { !$0() } ?? -1) + 1)
    }
  }

  @Test(arguments: [false, true])
  func `a pin of a thread that does not exist in the child protects nothing there`(
    isAsymmetric: Bool
  ) async {
    await #expect(processExitsWith: .success) { [isAsymmetric] in
      let lifetimes = LifetimeCounter()
      let pinning = isAsymmetric ? EpochDomain.Pinning.asymmetric(afterPins: 0) : .exchanging
      let failure = await onOwnThread {
        let domain = EpochDomain(pinning: pinning, bagCapacity: 4)
        let reader = PinnedThread(pinning: domain)
        domain.retire(100, in: lifetimes)
        let child = Child([
          { domain.telemetry.participants == 1 },
          { domain.telemetry.pins.isEmpty },
          { domain.advance() == 100 && lifetimes.live == 0 },
          { domain.telemetry.blockedBy == nil },
        ])
        defer { reader.end() }
        return child.run()
      }
      #expect(failure == 0, "the step that failed")
      #expect(lifetimes.live == 0)
    }
  }

  @Test func `a child has a releaser of its own`() async {
    await #expect(processExitsWith: .success) {
      let lifetimes = LifetimeCounter()
      let failure = await onOwnThread {
        let domain = EpochDomain(reportStall: { _ in })
        let reader = PinnedThread(pinning: domain)
        domain.release(10, in: lifetimes)
        let child = Child([
          { !domain.hasReleaser && lifetimes.live == 10 },
          {
            // This thread leaves the release to the library's.
            domain.pin { domain.release(5, in: lifetimes) }
            while lifetimes.live > 10 { BackgroundThread.sleep(microseconds: 100) }
            return true
          },
        ])
        defer { reader.end() }
        return child.run()
      }
      #expect(failure == 0, "the step that failed")
    }
  }

  @Test func `the thread that forks keeps its pin and its retired entries`() async {
    await #expect(processExitsWith: .success) {
      let lifetimes = LifetimeCounter()
      let failure = await onOwnThread {
        let domain = EpochDomain(bagCapacity: 4)
        return domain.pin {
          domain.retire(10, in: lifetimes)
          return Child([
            { domain.telemetry.pins.map(\.threadNumber) == [CurrentThread.number] },
            { domain.advance() == 0 && lifetimes.live == 10 },
          ]).run()
        }
      }
      #expect(failure == 0, "the step that failed")
    }
  }

  @Test func `new threads of the child reuse the records of the parent's threads`() async {
    await #expect(processExitsWith: .success) {
      let lifetimes = LifetimeCounter()
      let failure = await onOwnThread {
        let domain = EpochDomain(bagCapacity: 4)
        let others = (0..<3).map { _ in PinnedThread(pinning: domain) }
        let records = domain.recordCount
        let child = Child([
          { Self.retireOnNewThreads(3, domain, lifetimes) },
          { domain.recordCount == records },
          { domain.telemetry.participants == 0 },
          { domain.advance() > 0 && lifetimes.live == 0 },
        ])
        defer { for other in others { other.end() } }
        return child.run()
      }
      #expect(failure == 0, "the step that failed")
    }
  }

  /// Retires entries on threads that exist concurrently, so that each needs its own record.
  private static func retireOnNewThreads(
    _ count: Int, _ domain: EpochDomain, _ lifetimes: LifetimeCounter
  ) -> Bool {
    let mayEnd = Gate()
    let haveRetired = (0..<count).map { _ in Gate() }
    let threads = haveRetired.map { hasRetired in
      OwnedThread {
        domain.retire(10, in: lifetimes)
        hasRetired.open()
        mayEnd.wait()
      }
    }
    for gate in haveRetired { gate.wait() }
    mayEnd.open()
    for thread in threads { thread.join() }
    return true
  }

  @Test func `the same holds for a child of a child`() async {
    await #expect(processExitsWith: .success) {
      let lifetimes = LifetimeCounter()
      let failure = await onOwnThread {
        let domain = EpochDomain(bagCapacity: 4)
        let reader = PinnedThread(pinning: domain)
        domain.retire(10, in: lifetimes)
        let grandchild = Child([
          { domain.telemetry.pins.isEmpty },
          { domain.advance() == 10 },
        ])
        defer { reader.end() }
        return Child([{ grandchild.run(seconds: 300) == 0 }, { domain.advance() == 10 }]).run()
      }
      #expect(failure == 0, "the step that failed")
    }
  }

  @Test func `a child that exceeds its time limit is killed`() async {
    let failure = await onOwnThread {
      let child = Child([
        {
          Gate().wait()
          return true
        }
      ])
      return child.run(seconds: 1)
    }
    #expect(failure == -1)
  }
}
