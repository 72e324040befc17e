import LeakMonitoring
import Testing
import Threading
import WeakCollections

private final class Session: MemoryLeakMonitorable, Sendable {
  init() {
    MemoryLeakMonitor.validate(self)
  }
}

/// A barrier: suspends tasks until all of them have arrived.
private actor Barrier {
  private var missing: Int
  private var waiting: [CheckedContinuation<Void, Never>] = []

  init(of count: Int) {
    missing = count
  }

  func join() async {
    missing -= 1
    guard missing > 0 else { return waiting.forEach { $0.resume() } }
    await withCheckedContinuation { waiting.append($0) }
  }
}

@Suite(.timeLimit(.minutes(10)))
struct IsolationTests {
  @Test func `D 0.q: a hundred concurrent tests may each have an instance`() async {
    let barrier = Barrier(of: 100)
    await withTaskGroup { group in
      for _ in 0..<100 {
        group.addTask {
          await MemoryLeakMonitor.withIsolation {
            let session = Session()
            // All hundred instances are alive after this.
            await barrier.join()
            #expect(MemoryLeakMonitor.current.liveCount(of: Session.self) == 1)
            withExtendedLifetime(session) {}
          }
        }
      }
    }
    #expect(MemoryLeakMonitor.shared.liveCount(of: Session.self) == 0)
  }

  @Test func `an isolated monitor finds two instances`() async {
    await withKnownIssue {
      await MemoryLeakMonitor.withIsolation {
        let session = Session()
        await Task.yield()
        withExtendedLifetime((session, Session())) {}
      }
    } matching: {
      $0.comments.first?.rawValue.hasPrefix("Session: 2 instances") == true
    }
  }

  @Test func `the clock of an isolated monitor starts at zero`() {
    let (monitor, leaks, clock) = makeClockedMonitor()
    clock.advance(by: .seconds(9))
    MemoryLeakMonitor.withIsolation(in: monitor) {
      MemoryLeakMonitor.withIsolation { withExtendedLifetime((Session(), Session())) {} }
    }
    #expect(leaks.all.map(\.history) == [[CountSample(time: .zero, liveCount: 2)]])
  }

  @Test func `an isolated monitor starts with the reporter and the backend of the outer one`() {
    let leaks = CollectedLeaks()
    MemoryLeakMonitor.withIsolation {
      let outer = MemoryLeakMonitor.current
      #expect(outer !== MemoryLeakMonitor.shared)
      #expect(outer.recommendation == MemoryLeakMonitor.shared.recommendation)
      outer.reporter = leaks
      let session = Session()
      MemoryLeakMonitor.withIsolation {
        #expect(MemoryLeakMonitor.current !== outer)
        withExtendedLifetime(Session()) { #expect(leaks.all.isEmpty) }
        withExtendedLifetime((Session(), Session())) { #expect(leaks.all.count == 1) }
      }
      #expect(MemoryLeakMonitor.current === outer)
      withExtendedLifetime(session) {}
    }
    #expect(MemoryLeakMonitor.current === MemoryLeakMonitor.shared)
  }

  @Test func `tasks inherit the monitor, detached tasks do not, and threads can be given it`() async
  {
    await MemoryLeakMonitor.withIsolation {
      let monitor = MemoryLeakMonitor.current
      async let ofChild = MemoryLeakMonitor.current
      #expect(await ofChild === monitor)
      #expect(await Task { MemoryLeakMonitor.current }.value === monitor)
      #expect(await Task.detached { MemoryLeakMonitor.current }.value !== monitor)
      let ofThread = await onOwnThread {
        MemoryLeakMonitor.withIsolation(in: monitor) { MemoryLeakMonitor.current }
      }
      #expect(ofThread === monitor)
    }
  }

  @Test func `isolation ends when its body throws, and returns the body's result`() async {
    struct Refusal: Error {}
    #expect(throws: Refusal.self) {
      try MemoryLeakMonitor.withIsolation { throw Refusal() }
    }
    await #expect(throws: Refusal.self) {
      try await MemoryLeakMonitor.withIsolation {
        await Task.yield()
        throw Refusal()
      }
    }
    #expect(MemoryLeakMonitor.current === MemoryLeakMonitor.shared)
    let result = MemoryLeakMonitor.withIsolation { 1 }
    #expect(result == 1)
  }

  @Test @MainActor func `an isolated body stays on its actor`() async {
    var sessions: [Session] = []
    await MemoryLeakMonitor.withIsolation {
      sessions.append(Session())
      await Task.yield()
      sessions.removeAll()
    }
    #expect(sessions.isEmpty)
  }
}
