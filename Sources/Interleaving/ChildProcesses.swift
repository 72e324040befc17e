import CInterleaving
import Threading

/// What a child process writes to its standard error.
struct ChildOutput {
  private var text = ""

  /// Reads for at most `milliseconds`; returns the number of bytes, 0 at the end of the file, or -1
  /// if there is nothing yet.
  mutating func read(from child: cil_child, milliseconds: Int32) -> Int {
    var child = child
    var bytes = [CChar](repeating: 0, count: 4096)
    let count = cil_child_read(&child, &bytes, bytes.count, milliseconds)
    if count > 0, text.utf8.count < 1 << 16 {
      text += String(decoding: bytes[..<count].lazy.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
    return count
  }

  /// The message of Swift's runtime about a trap; the last line of the output if there is none.
  var message: String {
    let lines = text.split(separator: "\n").map(String.init)
    return lines.last { $0.contains("Fatal error") } ?? lines.last ?? ""
  }
}

/// A text that standard error gets if a trap ends this process.
package final class TrapNote: Sendable {
  private let number = Monitor<Int32>(-1)

  /// Creates a note without a text.
  package init() {}

  deinit { cil_remove_trap_note(number.read { $0 }) }

  /// Replaces the text.
  package func expect(_ text: String) {
    number.change { number in
      cil_remove_trap_note(number)
      number = cil_add_trap_note(text)
    }
  }
}

#if Interleaving
  extension Exploration {
    /// The reason why an exploration in child processes failed.
    public enum ChildError: Error, Hashable {
      /// The system cannot start another process.
      case noProcess
    }

    /// The progress of an exploration.
    public struct Progress: Sendable {
      /// The number of finished executions.
      public var executions: UInt64
      /// The number of steps of the finished executions.
      public var steps: UInt64
      /// The time since the start.
      public var elapsed: Duration
    }

    /// Runs executions in forked child processes until one fails. The end of a child by a signal is
    /// a failure of its current execution.
    ///
    /// A fork copies only the calling thread. A child blocks indefinitely if it needs a lock that
    /// another thread held at the time of the fork, such as a lock of the runtime. So explore while
    /// other threads are idle.
    ///
    /// - Parameters:
    ///   - batch: The maximum number of executions in one child. A search with dynamic
    ///     partial-order reduction runs in a single child, because its state is in the child's
    ///     memory.
    ///   - timeLimit: The time after which no execution but the first begins; `nil` for no limit.
    ///   - hangLimit: The time without a step after which an execution counts as hanging. A busy
    ///     machine may not run the child for many seconds. On Linux, a child that could not run
    ///     either, because it waits for a lock, for example, counts as hanging after 2 seconds.
    ///   - progress: A closure that this method calls several times a second. If it returns false,
    ///     the exploration ends.
    ///   - scenario: The scenario, which each execution calls anew.
    /// - Returns: The counts and the first failure, if there was one.
    /// - Throws: `ChildError.noProcess` if the system cannot start a child.
    public func runInChildren(
      batch: Int = 1_000_000, timeLimit: Duration? = nil, hangLimit: Duration = .seconds(60),
      progress: (Progress) -> Bool = { _ in true }, _ scenario: @escaping (Execution) -> Void
    ) throws(ChildError) -> Outcome {
      var error: ChildError?
      let outcome = withEngine(scenario) { engine in
        var watch = ChildWatch(engine, self, timeLimit: timeLimit, hangLimit: hangLimit)
        do throws(ChildError) {
          return try watch.outcome(batch: batch, progress: progress)
        } catch let caught {
          error = caught
          return engine.outcome(of: self, elapsed: .zero)
        }
      }
      if let error { throw error }
      return outcome
    }
  }

  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #elseif canImport(Darwin)
    import Darwin
  #endif

  /// Starts one child after the other, and reads the outcome of each from the shared recording.
  struct ChildWatch {
    private let engine: Engine
    private let plan: Exploration
    private let timeLimit: Duration?
    private let hangLimit: Duration
    private let clock = ContinuousClock()
    private let begin: ContinuousClock.Instant
    private var output = ChildOutput()
    private var lastChange: ContinuousClock.Instant
    private var lastSeen = (execution: UInt64(0), step: 0)
    private var waits = 0
    /// The number of successive reads that found the child without a step and waiting.
    private var readsWhileWaiting = 0

    init(_ engine: Engine, _ plan: Exploration, timeLimit: Duration?, hangLimit: Duration) {
      self.engine = engine
      self.plan = plan
      self.timeLimit = timeLimit
      self.hangLimit = hangLimit
      begin = clock.now
      lastChange = begin
    }

    private var elapsed: Duration { clock.now - begin }
    private var counts: UnsafeMutablePointer<Recording> { engine.counts }

    mutating func outcome(
      batch: Int, progress: (Exploration.Progress) -> Bool
    ) throws(Exploration.ChildError) -> Outcome {
      while counts.pointee.execution < plan.end, !counts.pointee.isExhausted,
        !counts.pointee.mustStop
      {
        let batchEnd =
          plan.strategy == .dynamicPartialOrderReduction
          ? plan.end : min(plan.end, counts.pointee.execution + UInt64(batch))
        let (signal, isHanging) = try runChild(to: batchEnd, progress)
        let isInterrupted = signal == SIGINT || signal == SIGTERM
        if !isInterrupted, engine.passAbandoned(plan) { continue }
        let isUnfinished =
          counts.pointee.execution < batchEnd && !counts.pointee.isExhausted
          && !counts.pointee.mustStop
        let outcome = outcome(signal, isHanging: isHanging, isUnfinished: isUnfinished)
        if let outcome { return outcome }
      }
      return currentOutcome
    }

    private var currentOutcome: Outcome {
      var outcome = engine.outcome(of: plan, elapsed: elapsed)
      outcome.waits = waits
      return outcome
    }

    /// Returns the outcome after a child has ended; `nil` if the exploration continues.
    private func outcome(_ signal: Int32, isHanging: Bool, isUnfinished: Bool) -> Outcome? {
      var outcome = currentOutcome
      if isHanging {
        outcome.failure = engine.failedExecution(of: plan, .hang)
      } else if signal == SIGINT || signal == SIGTERM {
        outcome.isInterrupted = true
      } else if signal != 0 || isUnfinished && outcome.failure == nil {
        outcome.failure = engine.failedExecution(
          of: plan, .trap(signal: signal, message: output.message))
      } else if outcome.failure == nil {
        return nil
      }
      return outcome
    }

    private mutating func runChild(
      to end: UInt64, _ progress: (Exploration.Progress) -> Bool
    ) throws(Exploration.ChildError) -> (signal: Int32, isHanging: Bool) {
      output = ChildOutput()
      lastChange = clock.now
      var child = cil_child()
      let work = ChildWork(engine: engine, plan: plan, end: end)
      guard work.start(&child) else { throw .noProcess }
      var isHanging = false
      while read(from: child) {
        isHanging = isHanging || hangs(child)
        if isHanging { cil_child_kill(&child) }
        if let timeLimit, elapsed > timeLimit, counts.pointee.executions > 0 {
          counts.pointee.mustStop = true
        }
        if !progress(current) { counts.pointee.mustStop = true }
      }
      let signal = cil_child_finish(&child)
      waits += Int(child.waits)
      return (signal, isHanging)
    }

    private var current: Exploration.Progress {
      Exploration.Progress(
        executions: counts.pointee.executions, steps: counts.pointee.steps, elapsed: elapsed)
    }

    private mutating func hangs(_ child: cil_child) -> Bool {
      var child = child
      let seen = (execution: counts.pointee.execution, step: counts.pointee.stepCount)
      if seen != lastSeen {
        lastSeen = seen
        lastChange = clock.now
        readsWhileWaiting = 0
      }
      // A child that a busy machine does not run is ready to run; it does not wait. Its only thread
      // holds every lock of the process, so that nobody ends a wait for one.
      readsWhileWaiting = cil_child_is_waiting(&child) ? readsWhileWaiting + 1 : 0
      return readsWhileWaiting >= 40 || clock.now - lastChange > hangLimit
    }

    /// Reads from the child's standard error for at most 50 milliseconds. Returns false if the
    /// child has ended and all its output is read.
    private mutating func read(from child: cil_child) -> Bool {
      var child = child
      let hasEnded = cil_child_has_ended(&child)
      let count = output.read(from: child, milliseconds: hasEnded ? 0 : 50)
      // At the end of the file, the child is about to end, or has closed its standard error.
      if count == 0, !hasEnded { usleep(1000) }
      return count > 0 || !hasEnded
    }
  }

  /// The work of a child.
  private final class ChildWork {
    let engine: Engine
    let plan: Exploration
    let end: UInt64

    init(engine: Engine, plan: Exploration, end: UInt64) {
      self.engine = engine
      self.plan = plan
      self.end = end
    }

    func start(_ child: inout cil_child) -> Bool {
      cil_child_start(
        &child,
        { context in
          let work = Unmanaged<ChildWork>.fromOpaque(context!).takeUnretainedValue()
          work.engine.explore(work.plan, to: work.end)
        }, Unmanaged.passUnretained(self).toOpaque())
    }
  }
#endif
