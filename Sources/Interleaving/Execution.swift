#if Interleaving
  import CShims

  /// One execution of a scenario, as the scenario sees it.
  ///
  /// The scenario makes what its threads share, names the threads, runs them and looks at what they
  /// left. What it makes it gives back: nodes that are left at its end are leaks.
  public final class Execution {
    let engine: Engine
    var scenario: (Execution) -> Void = { _ in }
    var bodies: [Body] = []
    var weakenings = WeakeningTable([])
    var observer: (@Sendable (ObservedStep) -> Void)?

    /// What a thread runs. In a structure, since an array of functions wraps each in a function
    /// more.
    struct Body {
      let run: () -> Void
    }

    init(engine: Engine) {
      self.engine = engine
    }

    /// The execution that the caller runs in; nil outside of all.
    public static var current: Execution? {
      guard cws_scheduler_get() != nil else { return nil }
      return Engine.current.state.pointee.execution?.takeUnretainedValue()
    }

    /// Adds a thread; returns its number. Called by a thread, it begins at once, by the scenario in
    /// `runThreads`.
    @discardableResult
    public func thread(_ name: String = "", _ body: @escaping () -> Void) -> Int {
      let thread = engine.makeThread()
      bodies.append(Body(run: body))
      engine.note(name: name, of: thread)
      engine.makeRunnable(thread)
      return thread
    }

    /// Runs the threads, and those that they add, to their ends.
    public func runThreads() {
      engine.runThreads()
      // What the bodies hold is released here; their places stay, since later threads are numbered
      // on.
      for index in bodies.indices { bodies[index] = Body(run: {}) }
    }

    /// Called by a thread: waits until the thread with that number has ended.
    public func join(_ thread: Int) {
      engine.join(thread)
    }

    /// Ends the execution as failed unless the condition holds.
    public func require(
      _ condition: Bool, _ message: @autoclosure () -> String = "a condition fails"
    ) {
      if !condition { fail(message()) }
    }

    /// Ends the execution as failed.
    public func fail(_ message: String) -> Never {
      engine.fail(.assertion, cws_site(), message)
    }

    /// A time stamp: later than all before it in this execution.
    public var now: UInt64 {
      engine.state.pointee.stamp &+= 1
      return engine.state.pointee.stamp
    }

    /// The number of the running thread; 0 is the scenario.
    public var currentThread: Int { engine.state.pointee.current }

    /// Lets other threads go on: a step without an effect.
    public func pause(
      file: StaticString = #fileID, function: StaticString = #function, line: UInt32 = #line
    ) {
      engine.mark(cws_site(file, function, line))
    }

    /// For what the scenario draws: the seed of the exploration and the execution's number, mixed.
    ///
    /// Whoever replays such an execution gives the plan both, besides the schedule.
    public var seed: UInt64 { engine.executionSeed }
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
    }

    func runScenario() {
      scenario(self)
    }

    func name(of thread: Int) -> String { engine.recordedName(of: thread) }
  }
#endif
