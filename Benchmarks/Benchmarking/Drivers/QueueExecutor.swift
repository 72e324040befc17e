import Dispatch

/// An executor that runs tasks as blocks of one concurrent queue.
final class QueueExecutor: TaskExecutor {
  private let queue = DispatchQueue(label: "weakbench.workers", attributes: .concurrent)

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
