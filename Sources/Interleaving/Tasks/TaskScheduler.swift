import CInterleaving
import SeededRandom

// A scheduler of asynchronous code. It receives every job that the code enqueues, keeps it, and
// runs one job at a time on its own thread, in the order that a search chooses.
//
// A job is a part of a task from one suspension to the next. The runtime offers it to the executor
// that the task prefers (SE-0417), or to a hook; see `CInterleaving+Jobs.h`. A task that changes
// its executor takes a detour first: it waits, and when the search chooses it, it makes its switch
// and runs on in one step.
//
// Invariants:
//
//  1. One thread runs all jobs. A job that another thread enqueues is an escape, and ends the
//     execution.
//  2. A lane is a task, or a job of an actor that has become runnable. It keeps its jobs in the
//     order of their arrival, and is runnable if it has one. The main actor's jobs run in the order
//     of their arrival, whatever their lanes.
//  3. Time is virtual. It passes only while no lane is runnable, up to the next timer.
//  4. The recording has every decision, even one without an alternative. The decisions determine
//     the execution.

/// A job that waits for its turn.
private struct PendingJob {
  let job: UnownedJob
  let origin: TaskScheduler.Origin
  /// The function with which the task continues; `nil` if it is not known.
  let function: UnsafeRawPointer?
}

/// A task, or a job of an actor.
private struct Lane {
  var name: String
  /// The address of the task; `nil` for a job of an actor.
  var task: UnsafeRawPointer?
  var jobs: [PendingJob] = []
  /// The function that the lane ran last.
  var function: UnsafeRawPointer?
}

/// A job that runs when the virtual time has come.
private struct Timer {
  var due: UInt64
  var lane: Int
  var job: UnownedJob
}

/// The end of the body.
// @unchecked: the scheduler's thread alone uses it.
private final class BodyEnd: @unchecked Sendable {
  var hasCome = false
  var error: (any Error)?
}

final class TaskScheduler {
  /// What a job does.
  enum Origin {
    /// It runs a task, or a job of an actor.
    case task
    /// It runs on the main actor.
    case main
    /// It resumes a task that yielded or slept.
    case resumption
    /// It makes a task change its executor.
    case detour
  }

  let executor = ControlledExecutor()
  private let plan: Exploration
  private let body: @Sendable () async throws -> Void
  private let detour = DetourExecutor()
  private let main: ControlledMainExecutor
  private let control: UnsafeMutablePointer<cil_job_control>
  private let choices: UnsafeMutablePointer<Choice>
  private var search: TaskSearch

  // The execution.
  private var lanes: [Lane] = []
  private var laneOfTask: [UInt64: Int] = [:]
  private var tasksWithoutPreference: Set<UInt64> = []
  private var idleLanes: [Int] = []
  private var mainLanes: [Int] = []
  private var yieldedLanes: Set<Int> = []
  private var timers: [Timer] = []
  private var time: UInt64 = 0
  private var current = 0
  private var bodyEnd = BodyEnd()
  private var isEnding = false
  /// Whether a job runs that only enqueues the next one of its task, and that next job.
  private var expectsJob = false
  private var expectedJob: PendingJob?
  private var schedule: [Decision] = []
  private var trace: [TracedStep] = []

  // The exploration.
  private var outcome: Outcome
  private var executionNumber: UInt64 = 0

  /// A step, or a remark if it has a text.
  private struct TracedStep {
    var lane: Int
    var function: UnsafeRawPointer?
    var text: UnsafePointer<CChar>?
  }

  init(_ plan: Exploration, _ body: @escaping @Sendable () async throws -> Void) {
    self.plan = plan
    self.body = body
    control = .allocate(capacity: 1)
    control.initialize(to: cil_job_control())
    choices = .allocate(capacity: plan.stepLimit)
    search = TaskSearch(plan, choices: choices)
    outcome = Outcome(
      executions: 0, blockedExecutions: 0, steps: 0, switches: 0, weakenedSteps: 0,
      brokenExecutions: 0, elapsed: .zero, failure: nil, isExhaustive: false,
      scope: plan.scope(ofSwitchesAt: "suspension points"), isInterrupted: false)
    main = ControlledMainExecutor(escapes: executor.escapes)
    AbandonedTasks.keep(executors: [executor, detour, main])
    control.pointee.owner = Unmanaged.passUnretained(self).toOpaque()
    control.pointee.preference = unsafeBitCast(
      executor.asUnownedTaskExecutor(), to: cil_executor.self)
    control.pointee.main = unsafeBitCast(main.asUnownedSerialExecutor(), to: cil_executor.self)
    control.pointee.detour = unsafeBitCast(detour.asUnownedSerialExecutor(), to: cil_executor.self)
    control.pointee.enqueue = { owner, job, target, nanoseconds in
      let scheduler = Unmanaged<TaskScheduler>.fromOpaque(owner!).takeUnretainedValue()
      let job = unsafeBitCast(job!, to: UnownedJob.self)
      switch target {
      case CIL_TIMER: scheduler.enqueue(job, after: nanoseconds)
      case CIL_MAIN_EXECUTOR: scheduler.enqueue(job, .main)
      default: scheduler.enqueueWithoutPreference(job)
      }
    }
  }

  deinit {
    control.deallocate()
    choices.deallocate()
  }

  /// Whether the runtime lets a thread control its tasks.
  static let canControl = TasksWithoutPreference.hasHooks && cil_can_detour()

  /// The scheduler whose thread this is; `nil` elsewhere.
  static var current: TaskScheduler? {
    cil_job_owner().map { Unmanaged<TaskScheduler>.fromOpaque($0).takeUnretainedValue() }
  }
}

// MARK: Exploration

extension TaskScheduler {
  /// Runs executions until one fails or the search is exhausted, on a thread of its own, because
  /// that thread waits forever after a trap.
  func explore(until end: ContinuousClock.Instant?) -> Outcome {
    let start = ContinuousClock.now
    let work = Unmanaged.passRetained(Work { self.runExecutions(until: end) })
    let signal = cil_run_until_trap(
      { Unmanaged<Work>.fromOpaque($0!).takeUnretainedValue().run() }, work.toOpaque())
    guard signal >= 0 else {
      fatalError("no thread or no pipe for an exploration; end other threads or raise ulimit")
    }
    if signal == 0 {
      work.release()
    } else {
      outcome.failure = failed(.trap(signal: signal, message: messageOfTrap()))
      outcome.executions += 1
      endExecution()
    }
    outcome.elapsed = ContinuousClock.now - start
    return outcome
  }

  /// Returns the message of the trap, or an empty text. A child process repeats the trap, because
  /// its standard error is a pipe. The child has only this thread, and so may wait for another one.
  private func messageOfTrap() -> String {
    let schedule = Schedule(memory: .sequentiallyConsistent, decisions: schedule)
    let replay = TaskScheduler(
      Exploration(
        strategy: .replay(schedule), seed: plan.seed, executions: 1, stepLimit: plan.stepLimit),
      body)
    let work = Work { replay.runExecutions(until: nil) }
    var child = cil_child()
    let hasStarted = cil_child_start(
      &child, { Unmanaged<Work>.fromOpaque($0!).takeUnretainedValue().run() },
      Unmanaged.passUnretained(work).toOpaque())
    guard hasStarted else { return "" }
    var output = ChildOutput()
    let end = ContinuousClock.now + .seconds(60)
    while output.read(from: child, milliseconds: 1000) != 0, ContinuousClock.now < end {}
    cil_child_kill(&child)
    _ = withExtendedLifetime(work) { cil_child_finish(&child) }
    return output.message
  }

  private final class Work {
    let run: () -> Void
    init(_ run: @escaping () -> Void) { self.run = run }
  }

  /// Runs the executions on this thread.
  private func runExecutions(until end: ContinuousClock.Instant?) {
    cil_control_jobs(control)
    defer { cil_control_jobs(nil) }
    let waits = cil_thread_waits()
    var number = UInt64(plan.firstExecution)
    let last = number + UInt64(plan.executions)
    while number < last, outcome.failure == nil,
      outcome.executions == 0 || end.map({ ContinuousClock.now < $0 }) ?? true
    {
      let isMeasuring = plan.needsMeasuring && search.measuredDecisions == 0
      // The measuring execution is number 0, even if the exploration begins with another number.
      let execution = isMeasuring ? 0 : number
      executionNumber = execution
      search.begin(execution: execution, isMeasuring: isMeasuring)
      if let failure = runExecution() { outcome.failure = failed(failure) }
      outcome.executions += 1
      if isMeasuring { search.measuredDecisions = max(1, schedule.count) }
      if outcome.failure == nil, !search.advance() {
        outcome.isExhaustive = true
        break
      }
      number = isMeasuring ? max(1, number) : number + 1
    }
    outcome.waits = Int(cil_thread_waits() - waits)
  }

  /// The addresses of the tasks, finished or not, and of the jobs that have not run.
  private var unfinishedJobs: [UnsafeRawPointer] {
    lanes.compactMap(\.task) + lanes.flatMap { $0.jobs.map(\.job.address) }
      + timers.map(\.job.address)
  }

  private func failed(_ failure: Failure) -> FailedExecution {
    AbandonedTasks.keep(jobs: unfinishedJobs)
    var started: Set<Int> = []
    let steps = trace.map { step in
      let isFirst = started.insert(step.lane).inserted
      let function =
        step.text.map { String(cString: $0) } ?? name(of: step.function)
        ?? (isFirst ? "start" : "")
      return Step(
        thread: step.lane, kind: step.text == nil ? .run : .mark, ordering: nil,
        site: Site(file: "", function: function, line: 0), variable: nil, value: nil,
        previous: nil, valueNode: nil)
    }
    return FailedExecution(
      failure: failure, seed: plan.seed, execution: executionNumber,
      schedule: Schedule(memory: .sequentiallyConsistent, decisions: schedule), trace: steps,
      threads: ["scenario"] + lanes.map(\.name))
  }

  private func name(of function: UnsafeRawPointer?) -> String? {
    guard let function else { return nil }
    let capacity = 1000
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: capacity + 1) { text in
      cil_function_name(function, text.baseAddress, capacity)
        ? String(cString: text.baseAddress!).withoutCompilersWords : nil
    }
  }
}

extension String {
  /// The name of a function, without the words for a part of it, the file of a private name, the
  /// types of closures, and effects: `closure #1 in Module.function()`.
  fileprivate var withoutCompilersWords: String {
    // A private name is `(name in _0123…)`.
    let named = replacing(/\(([^( ]+) in _[0-9A-F]+\)/) { $0.output.1 }
    let name = named.split(separator: "partial function for ").last ?? named[...]
    return name.split(separator: " in ").map { part in
      let words = part.split(separator: " ")
      // A closure has a number before its type.
      if let number = words.firstIndex(where: { $0.hasPrefix("#") }) {
        return words[...number].joined(separator: " ")
      }
      return String(part.split(separator: " async").first ?? part)
    }.joined(separator: " in ")
  }
}

// MARK: Execution

extension TaskScheduler {
  /// Runs one execution; returns its failure.
  private func runExecution() -> Failure? {
    beginExecution()
    defer { endExecution() }
    while true {
      if !executor.escapes.isEmpty { return escape }
      if let error = bodyEnd.error { return .assertion("\(error)") }
      let runnable = runnableLanes
      if runnable.isEmpty {
        if fireTimers() { continue }
        return bodyEnd.hasCome ? nil : failureAtStandstill()
      }
      if schedule.count >= plan.stepLimit { return .stepsWithoutEnd }
      if lanes.count > Schedule.mostThreads {
        return .uncontrolled(
          "an execution has more than \(Schedule.mostThreads) tasks; make it smaller")
      }
      guard let lane = search.next(runnable, yielded: yieldedLanes, current: current) else {
        return .scheduleMismatch(decision: schedule.count)
      }
      schedule.append(.run(thread: lane))
      if lane != current { outcome.switches += 1 }
      step(lane)
    }
  }

  private func beginExecution() {
    lanes.removeAll(keepingCapacity: true)
    laneOfTask.removeAll(keepingCapacity: true)
    idleLanes.removeAll(keepingCapacity: true)
    mainLanes.removeAll(keepingCapacity: true)
    yieldedLanes.removeAll(keepingCapacity: true)
    timers.removeAll(keepingCapacity: true)
    schedule.removeAll(keepingCapacity: true)
    trace.removeAll(keepingCapacity: true)
    time = 0
    current = 0
    isEnding = false
    control.pointee.request_count = 0
    let end = BodyEnd()
    bodyEnd = end
    Task(executorPreference: executor, priority: .medium) { [body] in
      do {
        try await body()
      } catch {
        end.error = error
      }
      end.hasCome = true
    }
  }

  private func endExecution() {
    if tasksWithoutPreference.isEmpty { return }
    TasksWithoutPreference.remove(tasksWithoutPreference)
    tasksWithoutPreference.removeAll()
  }

  private var runnableLanes: [Int] {
    lanes.indices.compactMap { index in
      guard let first = lanes[index].jobs.first else { return nil }
      return first.origin == .main && mainLanes[0] != index + 1 ? nil : index + 1
    }
  }

  /// Makes the earliest timers' jobs runnable; returns false if there are none. Timers that are set
  /// after the end of the body never fire, because a loop with a timer would never end.
  private func fireTimers() -> Bool {
    if bodyEnd.hasCome { isEnding = true }
    guard let due = timers.map(\.due).min() else { return false }
    time = due
    for timer in timers where timer.due == due {
      lanes[timer.lane - 1].jobs.append(
        PendingJob(job: timer.job, origin: .resumption, function: nil))
    }
    timers.removeAll { $0.due == due }
    return true
  }

  private func failureAtStandstill() -> Failure {
    let end = ContinuousClock.now + plan.escapeGrace
    while ContinuousClock.now < end {
      if !executor.escapes.isEmpty { return escape }
      cil_sleep_briefly()
    }
    let last = lanes.map { "\($0.name)\(name(of: $0.function).map { " in \($0)" } ?? "")" }
    return .lostWakeUp(
      "the body waits, and no task can run; last ran: \(last.joined(separator: ", "))")
  }

  private var escape: Failure {
    let number = executor.escapes.first ?? 0
    guard let index = laneOfTask[number].map({ $0 - 1 }) else {
      return .uncontrolled(
        "another thread enqueued a job of an actor; something outside of the test resumed a task")
    }
    let place = name(of: lanes[index].function).map { " in \($0)" } ?? ""
    return .uncontrolled(
      "another thread resumed \(lanes[index].name), which last ran\(place); it waits for a "
        + "callback, or for an actor with an executor of its own")
  }
}

// MARK: Jobs

extension TaskScheduler {
  /// Takes a job that the code under test enqueued.
  func enqueue(_ job: UnownedJob, _ origin: Origin) {
    let number = cil_task_number(job.address)
    let function: UnsafeRawPointer? =
      if origin == .detour { control.pointee.last_resume } else {
        number == 0 ? nil : cil_resume_function(job.address)
      }
    let pending = PendingJob(job: job, origin: origin, function: function)
    if expectsJob, expectedJob == nil {
      expectedJob = pending
      return
    }
    if cil_is_resumption(job.address) {
      // The running task yields.
      yieldedLanes.insert(current)
      search.noteYield(of: current)
      lanes[current - 1].jobs.append(PendingJob(job: job, origin: .resumption, function: nil))
    } else {
      append(pending, to: lane(of: job, task: number))
    }
  }

  /// Takes a job that was meant for the global executor.
  private func enqueueWithoutPreference(_ job: UnownedJob) {
    let number = cil_task_number(job.address)
    if number > 0, tasksWithoutPreference.insert(number).inserted {
      TasksWithoutPreference.add(number, escapingTo: executor.escapes)
    }
    enqueue(job, .task)
  }

  /// Takes a job for a later time.
  func enqueue(_ job: UnownedJob, after nanoseconds: UInt64) {
    if isEnding { return AbandonedTasks.keep(jobs: [job.address]) }
    // The runtime adds the real time of the call to a duration; whole milliseconds hide that.
    let quantum: UInt64 = 1_000_000
    let delay = (min(nanoseconds, .max - quantum) + quantum - 1) / quantum
    timers.append(Timer(due: time &+ delay, lane: max(1, current), job: job))
  }

  private func append(_ job: PendingJob, to lane: Int) {
    lanes[lane - 1].jobs.append(job)
    if job.origin == .main { mainLanes.append(lane) }
  }

  /// Returns the lane of a job: that of its task, or a lane for one job if it belongs to none.
  private func lane(of job: UnownedJob, task number: UInt64) -> Int {
    if number > 0, let lane = laneOfTask[number] { return lane }
    if number == 0, let lane = idleLanes.popLast() { return lane }
    let lane = lanes.count + 1
    lanes.append(
      number > 0
        ? Lane(name: "task \(lane)", task: job.address) : Lane(name: "actor \(lane)"))
    search.addLane()
    if number > 0 { laneOfTask[number] = lane }
    return lane
  }

  /// Runs the next job of a lane, up to the next suspension of its task.
  private func step(_ lane: Int) {
    current = lane
    outcome.steps += 1
    yieldedLanes.removeAll()
    var next = lanes[lane - 1].jobs.removeFirst()
    if next.origin == .main { mainLanes.removeFirst() }
    if let function = next.function { lanes[lane - 1].function = function }
    trace.append(TracedStep(lane: lane, function: next.function))
    if next.origin == .detour || next.origin == .resumption {
      expectsJob = true
      run(next)
      expectsJob = false
      // Without a job, the task waits for an actor that is about to run, or has left; or it no
      // longer sleeps.
      guard let job = expectedJob.take() else { return }
      next = job
      // The main actor runs its jobs in order.
      if job.origin == .main, !mainLanes.isEmpty { return append(job, to: lane) }
    }
    run(next)
    if lanes[lane - 1].task == nil, lanes[lane - 1].jobs.isEmpty { idleLanes.append(lane) }
  }

  private func run(_ next: PendingJob) {
    switch next.origin {
    case .main: next.job.runSynchronously(on: main.asUnownedSerialExecutor())
    case .detour: next.job.runSynchronously(on: detour.asUnownedSerialExecutor())
    case .task, .resumption:
      next.job.runSynchronously(on: executor.asUnownedTaskExecutor())
    }
  }
}

// MARK: Remarks

extension TaskScheduler {
  /// Gives the running lane a name.
  func nameLane(_ name: String) { lanes[current - 1].name = name }

  /// Adds a line to the trace: a mark whose site has `text` as its function. It is no step.
  func note(_ text: UnsafePointer<CChar>) { trace.append(TracedStep(lane: current, text: text)) }
}
