import CInterleaving
import Synchronization
import Threading

#if os(Linux)
  @_spi(ExperimentalScheduling) import _Concurrency
#endif

/// The executor that tasks under control prefer. It passes their jobs to the scheduler.
///
/// A job that another thread enqueues has escaped: something outside of the scheduler resumed its
/// task, at a time that no schedule determines.
final class ControlledExecutor: TaskExecutor {
  let escapes = Escapes()

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    guard let scheduler = TaskScheduler.current, scheduler.executor === self else {
      return escapes.add(job)
    }
    scheduler.enqueue(job, .task)
  }
}

#if os(Linux)
  // Where the runtime asks the executor of a task for its timers. Older runtimes, and those of
  // Apple, call a hook.
  extension ControlledExecutor: SchedulingExecutor {
    func enqueue<C: _Concurrency.Clock>(
      _ job: consuming ExecutorJob, after delay: C.Duration, tolerance: C.Duration?, clock: C
    ) {
      let job = UnownedJob(job)
      guard let scheduler = TaskScheduler.current, scheduler.executor === self else {
        return escapes.add(job)
      }
      // A clock with durations of another type sleeps by itself, and does not come here.
      let (seconds, attoseconds) = (delay as? Duration ?? .zero).components
      let nanoseconds = seconds * 1_000_000_000 + attoseconds / 1_000_000_000
      scheduler.enqueue(job, after: UInt64(max(0, nanoseconds)))
    }

    func enqueue<C: _Concurrency.Clock>(
      _ job: consuming ExecutorJob, at instant: C.Instant, tolerance: C.Duration?, clock: C
    ) {
      enqueue(job, after: clock.now.duration(to: instant), tolerance: tolerance, clock: clock)
    }
  }
#endif

/// The serial executor of the main actor, for the thread of an exploration.
final class ControlledMainExecutor: SerialExecutor {
  private let escapes: Escapes

  init(escapes: Escapes) { self.escapes = escapes }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    guard let scheduler = TaskScheduler.current else { return escapes.add(job) }
    scheduler.enqueue(job, .main)
  }
}

/// The serial executor that a task enters before each switch of executors.
final class DetourExecutor: SerialExecutor {
  func enqueue(_ job: consuming ExecutorJob) {
    // Only a controlled thread sends tasks here.
    TaskScheduler.current!.enqueue(UnownedJob(job), .detour)
  }
}

/// The jobs that other threads enqueued, by the numbers of their tasks.
final class Escapes: Sendable {
  private let tasks = Monitor<[UInt64]>([])
  private let count = Synchronization.Atomic<Int>(0)

  // Both relaxed: the mutex orders the list, and a late look only delays the report.

  func add(_ job: UnownedJob) {
    let number = cil_task_number(job.address)
    tasks.change { $0.append(number) }
    count.wrappingAdd(1, ordering: .relaxed)
  }

  var isEmpty: Bool { count.load(ordering: .relaxed) == 0 }

  /// The number of the first escaped task; 0 for a job of no task.
  var first: UInt64? { tasks.read { $0.first } }
}

/// The tasks under control that do not prefer a `ControlledExecutor`: those that code of another
/// library created.
///
/// The runtime asks here when a thread without a scheduler enqueues a job globally.
enum TasksWithoutPreference {
  private static let owners = Monitor<[UInt64: Escapes]>([:])

  /// Installs the hooks, once in a process; whether the runtime has them.
  static let hasHooks: Bool = {
    guard cil_install_job_hooks() else { return false }
    cil_watch_jobs { job in TasksWithoutPreference.takes(job!) }
    return true
  }()

  static func add(_ number: UInt64, escapingTo escapes: Escapes) {
    owners.change { $0[number] = escapes }
  }

  static func remove(_ numbers: some Sequence<UInt64>) {
    owners.change { owners in
      for number in numbers { owners[number] = nil }
    }
  }

  private static func takes(_ job: UnsafeMutableRawPointer) -> Bool {
    let number = cil_task_number(job)
    guard number > 0, let escapes = owners.read({ $0[number] }) else { return false }
    escapes.add(unsafeBitCast(job, to: UnownedJob.self))
    return true
  }
}

/// What tasks that never end refer to without counting, and the jobs of these tasks.
///
/// Nothing here is ever freed. The list makes it reachable, so that no tool takes it for a leak of
/// the code under test.
enum AbandonedTasks {
  // @unchecked: no code reads it.
  private struct Kept: @unchecked Sendable {
    var executors: [AnyObject] = []
    var jobs: [UnsafeRawPointer] = []
  }

  private static let kept = Monitor(Kept())

  static func keep(executors: [AnyObject]) {
    let added = Kept(executors: executors)
    kept.change { $0.executors += added.executors }
  }

  static func keep(jobs: [UnsafeRawPointer]) {
    let added = Kept(jobs: jobs)
    kept.change { $0.jobs += added.jobs }
  }
}

extension UnownedJob {
  /// The address of the job, which is all that the type has.
  var address: UnsafeRawPointer { unsafeBitCast(self, to: UnsafeRawPointer.self) }
}
