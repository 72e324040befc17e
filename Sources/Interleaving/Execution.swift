#if Interleaving
  import CShims

  /// One execution of a scenario, which receives it as its argument.
  ///
  /// A scenario creates the shared objects, adds threads, runs them, and checks the result. It must
  /// release everything that it creates: a node that is live at its end is a leak.
  public final class Execution {
    let engine: Engine
    var scenario: (Execution) -> Void = { _ in }
    var bodies: [Body] = []
    var weakenings = WeakeningTable([])
    var observer: (@Sendable (ObservedStep) -> Void)?
    var reducedSearch: ReducedSearch?
    var replayedPromises: [PromisedStore] = []

    /// The closure of a thread. It is in a structure, because an array of functions wraps each
    /// function in another one.
    struct Body {
      let run: () -> Void
    }

    init(engine: Engine) {
      self.engine = engine
    }

    /// The execution in which the caller runs; `nil` outside of executions.
    public static var current: Execution? {
      guard cws_scheduler_get() != nil else { return nil }
      return Engine.current.state.pointee.execution?.takeUnretainedValue()
    }

    /// Adds a virtual thread and returns its number.
    ///
    /// If a thread calls this method, the new thread can run immediately. If the scenario calls it,
    /// `runThreads()` starts the new thread. Traps if the execution has too many threads.
    ///
    /// - Parameters:
    ///   - name: The name in messages. If it is empty, the name is `thread` and the number.
    ///   - body: The work of the thread.
    @discardableResult
    public func thread(_ name: String = "", _ body: @escaping () -> Void) -> Int {
      let thread = engine.makeThread()
      bodies.append(Body(run: body))
      engine.note(name: name, of: thread)
      engine.makeRunnable(thread)
      return thread
    }

    /// Runs the threads, including those that they add, until all have ended.
    ///
    /// - Precondition: The scenario calls it, not a thread.
    public func runThreads() {
      engine.runThreads()
      // Releases the captures of the closures. Keeps the elements, so that the numbers of later
      // threads continue.
      for index in bodies.indices { bodies[index] = Body(run: {}) }
    }

    /// Waits until the thread with that number has ended.
    ///
    /// - Precondition: A thread calls it, not the scenario, and not for itself.
    public func join(_ thread: Int) {
      engine.join(thread)
    }

    /// Ends the execution with a failure unless `condition` is true.
    public func require(
      _ condition: Bool,
      _ message: @autoclosure () -> String = "a condition of the scenario is false"
    ) {
      if !condition { fail(message()) }
    }

    /// Ends the execution with a failure.
    public func fail(_ message: String) -> Never {
      engine.fail(.assertion, cws_site(), message)
    }

    /// Whether a load has read a store that did not follow it as it had to (`PromisedStore`). Then
    /// the results of the execution mean nothing, and its failure does not count. False without
    /// reordered loads.
    public var hasBrokenPromise: Bool { engine.counts.pointee.promise == .broken }

    /// A new time stamp, greater than all earlier ones of this execution.
    public var now: UInt64 {
      engine.state.pointee.stamp &+= 1
      return engine.state.pointee.stamp
    }

    /// The number of the running thread; the scenario is 0.
    public var currentThread: Int { engine.state.pointee.current }

    /// Takes a step without an effect, so that other threads can run.
    public func pause(
      file: StaticString = #fileID, function: StaticString = #function, line: UInt32 = #line
    ) {
      engine.mark(cws_site(file, function, line))
    }

    /// Adds a line to the trace: a mark whose site has `text` as its function, and no file. It is
    /// not a step, so no other thread runs before it.
    ///
    /// - Parameter text: A string that is never freed.
    package func note(_ text: UnsafePointer<CChar>) {
      engine.record(
        .mark, by: currentThread, cws_site(file: nil, function: text, line: 0))
    }

    /// Lets the next loads of the current thread miss no store that is visible now. It is not a
    /// step.
    package func refreshLoads() {
      engine.passTime()
    }

    /// Ends the loads of the current thread: one that has read a store of another thread before
    /// that thread has executed it cannot end (`hasBrokenPromise`). It is not a step.
    package func endLoads() {
      engine.breakPromise(of: currentThread)
    }

    /// Makes the buffered stores of the current thread visible. It is not a step.
    package func drainStores() {
      engine.drainAll(of: currentThread)
    }

    /// Runs `body` as if outside of an execution, and returns its result: its atomics and locks are
    /// real, and it takes no steps.
    package static func withoutScheduler<R>(_ body: () -> R) -> R {
      let scheduler = cws_scheduler_get()
      cws_scheduler_set(nil)
      defer { cws_scheduler_set(scheduler) }
      return body()
    }

    /// The seed for random choices of the scenario: a hash of the exploration's seed and the
    /// execution's number.
    ///
    /// To replay an execution that uses it, create the plan with the same exploration seed and
    /// execution number, as well as the schedule.
    public var seed: UInt64 { engine.seedOfScenario() }
  }

  extension cws_site {
    init(_ file: StaticString, _ function: StaticString, _ line: UInt32) {
      self.init(
        file: UnsafeRawPointer(file.utf8Start).assumingMemoryBound(to: CChar.self),
        function: UnsafeRawPointer(function.utf8Start).assumingMemoryBound(to: CChar.self),
        line: line)
    }
  }

  extension Execution {
    func reset() {
      bodies.removeAll(keepingCapacity: true)
      reducedSearch?.beginExecution()
    }

    func runScenario() {
      scenario(self)
    }

    func name(of thread: Int) -> String { engine.recordedName(of: thread) }
  }
#endif
