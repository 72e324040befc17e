#if Interleaving
  // Dynamic partial-order reduction (Flanagan and Godefroid, 2005) with source sets and sleep sets
  // (Abdulla, Aronis, Jonsson and Sagonas, 2014: the algorithm "Source-DPOR").
  //
  // Executions that differ only in the order of independent events have the same result: they
  // belong to one *trace* (Mazurkiewicz, 1987). The search executes each trace once. It is
  // stateless: it stores no states, only the events of the current execution and a node for the
  // point before each.
  //
  //  1. A new node selects any process that is enabled and not asleep.
  //  2. After an execution, the search looks for races: two events of different processes that
  //     depend on each other, with no event between them in the happens-before order. For each
  //     race, it adds a process that can begin the reversed order to the node before the first
  //     event, unless the node has such a process already (`Reduction+Races.swift`).
  //  3. When all executions that begin with a process at a node are done, that process is *asleep*
  //     at the node. In later nodes it stays asleep until an event that depends on the process's
  //     next event. To begin with a process that is asleep would repeat a trace.
  //  4. If all enabled processes are asleep, the execution repeats a trace. It is *blocked*: it
  //     runs to its end, so that its threads release their objects, but the search ignores the rest
  //     of its events.
  //  5. The search is exhausted when no node has an untried process. Then it has executed each
  //     trace of the scenario once, not counting the blocked executions.
  //
  // Rule 3 needs the next event of a sleeping process before that event occurs. The accesses of the
  // event are those in the execution that began with it, because no later event depends on them.
  // Its address is that of the thread's pending step. Addresses of different executions are never
  // compared, because an object may have another address in the next execution.
  //
  // In rule 2, the second event of a race can have other accesses in the reversed order: a
  // compare-exchange that failed may succeed, and code after a load may spin. So an attempt has the
  // set of accesses that the race allows: those of the event and, if no other event of the reversed
  // order uses its word, all accesses to that word. If the event has others when it occurs, the
  // node tries all processes.

  /// The tree of a search with dynamic partial-order reduction: the nodes and the events of the
  /// current execution.
  struct Reduction {
    /// A process whose next event need not be tried, and the accesses of that event.
    struct Sleeper {
      var process: Process
      var accesses: Accesses
    }

    /// A process to try, and the accesses that its next event may have.
    struct Attempt {
      var process: Process
      var accesses: Accesses
    }

    /// The point before an event.
    struct Node {
      /// The process of the event, and the accesses that it may have.
      var attempt: Attempt
      var enabled: [Process]
      var sleepers: [Sleeper]
      var untried: [Attempt] = []

      func accessesIfAsleep(_ process: Process) -> Accesses? {
        sleepers.first { $0.process == process }?.accesses
      }

      /// Whether the search executes, has executed, will execute or need not execute the process at
      /// this node.
      func covers(_ process: Process) -> Bool {
        attempt.process == process || accessesIfAsleep(process) != nil
          || untried.contains { $0.process == process }
      }

      mutating func tryAll(where isTried: (Process) -> Bool = { _ in true }) {
        for process in enabled where isTried(process) && !covers(process) {
          untried.append(Attempt(process: process, accesses: .all))
        }
      }
    }

    var nodes: [Node] = []
    var events: [Event] = []
    /// The number of events of the current execution, without those after it was blocked.
    private(set) var depth = 0
    /// Whether the current execution repeats a trace.
    private(set) var isBlocked = false
    /// The processes that are asleep at the next new node.
    private var sleepers: [Sleeper] = []
    /// The next events of the processes that are asleep at the newest node, in the order of its
    /// `sleepers`.
    private var pendingSleepers: [Event] = []
    /// The number of the first event of the current execution that the previous one did not have.
    private var firstNewEvent = 0
    var order = HappensBefore()

    mutating func beginExecution() {
      depth = 0
      isBlocked = false
      sleepers = []
    }

    /// The process that the current execution repeats; `nil` if the next node is new.
    var repeated: Process? { depth < nodes.count ? nodes[depth].attempt.process : nil }

    /// Adds a node and returns its process; `nil` if all processes are asleep.
    ///
    /// - Parameter enabled: The processes whose next event can occur, the preferred one first.
    mutating func select(among enabled: [Process]) -> Process? {
      let awake = enabled.first { process in
        !sleepers.contains { $0.process == process }
      }
      guard let awake else {
        isBlocked = true
        return nil
      }
      nodes.append(
        Node(
          attempt: Attempt(process: awake, accesses: .all), enabled: enabled,
          sleepers: sleepers))
      return awake
    }

    /// Stores the next events of the sleeping processes, before the event of the newest node.
    ///
    /// - Parameter next: Returns the next event of a process, without the accesses that are known
    ///   only after the event.
    mutating func noteSleepers(next: (Process) -> Event) {
      guard depth >= firstNewEvent else { return }
      pendingSleepers = nodes[depth].sleepers.map { sleeper in
        var pending = next(sleeper.process)
        pending.accesses = sleeper.accesses
        return pending
      }
    }

    /// Adds the event of the newest node. Returns false if an earlier execution had another event
    /// there: the scenario is not deterministic.
    mutating func append(_ event: Event) -> Bool {
      if depth < firstNewEvent {
        guard events[depth].process == event.process, events[depth].accesses == event.accesses
        else { return false }
        events[depth] = event
      } else {
        events.append(event)
        if !event.accesses.isExpected(nodes[depth].attempt.accesses) { nodes[depth].tryAll() }
        sleepers = zip(nodes[depth].sleepers, pendingSleepers).compactMap { sleeper, pending in
          pending.depends(on: event) ? nil : sleeper
        }
      }
      depth += 1
      return true
    }

    /// Makes the newest node try all drains of `thread`: its event drained a store of `thread` that
    /// could also have been drained before.
    mutating func tryDrains(of thread: Int) {
      nodes[depth].tryAll { $0.isBuffer && $0.thread == thread }
    }

    /// Finds the races of the execution that has ended, and prepares the next one; returns false if
    /// there is none.
    mutating func advance() -> Bool {
      findRaces(from: firstNewEvent)
      while let node = nodes.last {
        let last = nodes.count - 1
        nodes[last].sleepers.append(
          Sleeper(process: node.attempt.process, accesses: events[last].accesses))
        events.removeLast()
        while let attempt = nodes[last].untried.popLast() {
          guard nodes[last].accessesIfAsleep(attempt.process) == nil else { continue }
          nodes[last].attempt = attempt
          firstNewEvent = last
          return true
        }
        nodes.removeLast()
      }
      return false
    }
  }
#endif
