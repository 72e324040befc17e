#if Interleaving
  import Synchronization
  import Testing

  struct AsyncSemaphoreTests {
    /// Runs the jobs of tasks in the order in which they became ready, on the calling thread.
    private final class JobQueue: TaskExecutor {
      private let jobs = Mutex<[UnownedJob]>([])

      func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
      }

      /// Runs jobs until none is ready.
      func run() {
        while let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
          job.runSynchronously(on: asUnownedTaskExecutor())
        }
      }
    }

    private enum Event: Equatable {
      case acquired(String)
      case cancelled(String)
    }

    private final class Log: Sendable {
      private let list = Mutex<[Event]>([])
      var events: [Event] { list.withLock { $0 } }
      func add(_ event: Event) { list.withLock { $0.append(event) } }
    }

    private let queue = JobQueue()
    private let log = Log()

    private func task(_ name: String, waitingFor semaphore: AsyncSemaphore) -> Task<Void, Never> {
      Task(executorPreference: queue) { [log] in
        do {
          try await semaphore.wait()
          log.add(.acquired(name))
        } catch {
          log.add(.cancelled(name))
        }
      }
    }

    /// Two tasks wait, the first one is cancelled, and then there is one permit. Returns what
    /// happened until no job was ready.
    private func events(_ defect: AsyncSemaphore.Defect?) -> [Event] {
      let semaphore = AsyncSemaphore(permits: 0, defect: defect)
      let first = task("first", waitingFor: semaphore)
      _ = task("second", waitingFor: semaphore)
      queue.run()
      first.cancel()
      queue.run()
      semaphore.signal()
      queue.run()
      defer {
        // Ends the second task if it still waits.
        semaphore.signal()
        queue.run()
      }
      return log.events
    }

    @Test func `a permit passes a cancelled waiter`() {
      #expect(events(nil) == [.cancelled("first"), .acquired("second")])
    }

    @Test func `a cancelled waiter that stays in the queue takes the permit`() {
      #expect(events(.leak) == [.cancelled("first")])
    }

    @Test func `a waiter keeps its permit if it is cancelled later`() {
      let semaphore = AsyncSemaphore(permits: 0, defect: nil)
      let first = task("first", waitingFor: semaphore)
      queue.run()
      semaphore.signal()
      first.cancel()
      queue.run()
      #expect(log.events == [.acquired("first")])
    }

    @Test func `a task that is cancelled before it waits takes no permit`() {
      let semaphore = AsyncSemaphore(permits: 0, defect: nil)
      task("first", waitingFor: semaphore).cancel()
      queue.run()
      _ = task("second", waitingFor: semaphore)
      semaphore.signal()
      queue.run()
      #expect(log.events == [.cancelled("first"), .acquired("second")])
    }
  }
#endif
