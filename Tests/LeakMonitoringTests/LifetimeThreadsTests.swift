import LeakMonitoring
import Testing
import Threading
import WeakCollections

private final class Message: Sendable {
  private let lifetime = LifetimeToken(of: Message.self, max: nil)
}

private final class Churn: Sendable {
  let isOver = MutexLock(false)
}

/// Tokens that several threads make at once.
@Suite(.timeLimit(.minutes(10)))
struct LifetimeThreadsTests {
  private var (monitor, _, _) = makeClockedMonitor()

  @Test func `threads that make and release instances at once leave none`() async {
    let monitor = monitor
    await withTaskGroup { group in
      for _ in 0..<4 {
        group.addTask {
          await onOwnThread {
            MemoryLeakMonitor.withIsolation(in: monitor) {
              for _ in 0..<1000 { withExtendedLifetime([Message(), Message()]) {} }
            }
          }
        }
      }
    }
    #expect(monitor.lifetimeCount(of: Message.self) == 0)
    #expect(monitor.cost.validations == 8000)
  }

  @Test func `as many are counted as lived at one moment, however many come and go`() async {
    let monitor = monitor
    let churn = Churn()
    await withTaskGroup { group in
      group.addTask {
        await onOwnThread {
          MemoryLeakMonitor.withIsolation(in: monitor) {
            for _ in 0..<20_000 { withExtendedLifetime(Message()) {} }
          }
          churn.isOver.write { $0 = true }
        }
      }
      group.addTask {
        await onOwnThread {
          while !churn.isOver.read({ $0 }) {
            let count = monitor.lifetimeCount(of: Message.self)
            guard count != 0, count != 1 else { continue }
            Issue.record("\(count) live")
            return
          }
        }
      }
    }
  }
}
