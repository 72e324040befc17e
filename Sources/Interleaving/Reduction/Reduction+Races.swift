#if Interleaving
  // The happens-before order of the events of one execution, by vector clocks, and the races of the
  // execution.
  //
  // The clock of an event has, for each process, the number of that process's events that happened
  // before it. The event itself counts. The clock is the maximum of the clocks of earlier events:
  //
  //  1. *Causes*: the previous event of the process, the store of a drained entry, and the event
  //     that made the thread runnable.
  //  2. *Unblocking* events: an unlock before a lock, or the drain of an update before the next
  //     one.
  //  3. *Conflicts*: events whose order matters, and for which both orders may be possible.
  //
  // An event has a race with two kinds of earlier events: those of 3, and those that block it for a
  // time, such as the acquisition of a lock. An event of 3 that happened before an unblocking event
  // has no race with it, because the event could not have occurred there. To find races with a
  // blocking event, only causes count, because its order before the unblocking event is a
  // consequence of the race.

  /// The vector clocks of the events of one execution.
  struct HappensBefore {
    /// The number of processes for which a clock has room.
    private var width = 16
    private var ranks: [Process: Int] = [:]
    private var rankOfEvent: [Int] = []
    private var clocks: [UInt32] = []
    private var lastOfRank: [Int] = []
    private var countOfRank: [UInt32] = []

    /// Keeps the clocks of the first `count` events.
    mutating func keep(_ count: Int) {
      rankOfEvent.removeLast(rankOfEvent.count - count)
      clocks.removeLast(clocks.count - count * width)
      for rank in lastOfRank.indices { (lastOfRank[rank], countOfRank[rank]) = (-1, 0) }
      for event in 0..<count {
        lastOfRank[rankOfEvent[event]] = event
        countOfRank[rankOfEvent[event]] += 1
      }
    }

    /// Adds an event, and returns the clock of the previous event of its process.
    mutating func begin(_ event: Event) -> [UInt32] {
      let rank = rank(of: event.process)
      let last = lastOfRank[rank]
      rankOfEvent.append(rank)
      lastOfRank[rank] = rankOfEvent.count - 1
      countOfRank[rank] += 1
      return last < 0 ? [UInt32](repeating: 0, count: width) : clock(of: last)
    }

    /// Completes the newest event, whose clock without the event itself is `clock`.
    mutating func end(_ clock: [UInt32]) {
      clocks.append(contentsOf: clock)
      let rank = rankOfEvent[rankOfEvent.count - 1]
      clocks[clocks.count - width + rank] = countOfRank[rank]
    }

    private func clock(of event: Int) -> [UInt32] {
      Array(clocks[event * width..<(event + 1) * width])
    }

    /// Whether `first` happened before the event that `clock` belongs to.
    @inline(__always)
    func happened(_ first: Int, before clock: [UInt32]) -> Bool {
      let rank = rankOfEvent[first]
      return clocks[first * width + rank] <= clock[rank]
    }

    /// Whether `first` is `second` or happened before it.
    @inline(__always)
    func happened(_ first: Int, before second: Int) -> Bool {
      let rank = rankOfEvent[first]
      return clocks[first * width + rank] <= clocks[second * width + rank]
    }

    @inline(__always)
    func join(_ clock: inout [UInt32], _ event: Int) {
      for rank in 0..<width { clock[rank] = max(clock[rank], clocks[event * width + rank]) }
    }

    private mutating func rank(of process: Process) -> Int {
      if let rank = ranks[process] { return rank }
      let rank = ranks.count
      if rank == width { widen() }
      ranks[process] = rank
      lastOfRank.append(-1)
      countOfRank.append(0)
      return rank
    }

    private mutating func widen() {
      var wider: [UInt32] = []
      for event in 0..<clocks.count / width {
        wider += clock(of: event) + [UInt32](repeating: 0, count: width)
      }
      clocks = wider
      width *= 2
    }
  }

  extension Reduction {
    private struct Race {
      var first: Int
      /// The clock of the events that the reversed order keeps between the two events of the race;
      /// `nil` if it keeps all that it can.
      var causes: [UInt32]?
    }

    /// Finds the races of the events from number `first` on, and adds processes that reverse them.
    mutating func findRaces(from first: Int) {
      order.keep(first)
      for second in first..<events.count {
        for race in races(of: second) { reverse(race, second) }
      }
    }

    /// Computes the clock of an event and returns its races with earlier events.
    private mutating func races(of second: Int) -> [Race] {
      let event = events[second]
      var races: [Race] = []
      var causes = order.begin(event)
      forEach(before: second, &causes) { first, number in
        number < event.after || number == event.enabledBy || event.isCaused(by: first)
      }
      var blocking = causes
      forEach(before: second, &blocking) { first, number in
        guard event.isBlocked(by: first) else { return false }
        races.append(Race(first: number, causes: causes))
        return true
      }
      var clock = causes
      forEach(before: second, &clock) { first, _ in event.isUnblocked(by: first) }
      forEach(before: second, &clock) { first, number in
        guard event.conflicts(with: first) else { return false }
        races.append(Race(first: number))
        return true
      }
      for rank in clock.indices { clock[rank] = max(clock[rank], blocking[rank]) }
      order.end(clock)
      return races
    }

    /// Joins into `clock` the clocks of the earlier events that satisfy `isBefore`, from the newest
    /// to the oldest. Skips the events that happened before `clock`, and those of the same process.
    private func forEach(
      before second: Int, _ clock: inout [UInt32], where isBefore: (Event, Int) -> Bool
    ) {
      let process = events[second].process
      for number in stride(from: second - 1, through: 0, by: -1)
      where events[number].process != process && !order.happened(number, before: clock) {
        if isBefore(events[number], number) { order.join(&clock, number) }
      }
    }

    /// Adds a process that can begin the reversed order to the node before the first event of the
    /// race, unless the node has such a process already.
    private mutating func reverse(_ race: Race, _ second: Int) {
      let node = nodes[race.first]
      let last = events[second]
      var attempt: Attempt?
      // The events that can begin the reversed order: no event of that order happened before them.
      var firsts: [Int] = []
      // The accesses that the last event can have without a conflict with the other events.
      var expected = last.accesses.union(.word)
      for number in race.first + 1..<second where !order.happened(race.first, before: number) {
        let event = events[number]
        if event.address == last.address { expected = last.accesses }
        let isKept = race.causes.map { order.happened(number, before: $0) } ?? true
        guard isKept, !firsts.contains(where: { order.happened($0, before: number) }) else {
          continue
        }
        firsts.append(number)
        if node.covers(event.process) { return }
        if node.enabled.contains(event.process) {
          attempt = Attempt(process: event.process, accesses: event.accesses)
        }
      }
      if !firsts.contains(where: { order.happened($0, before: second) }) {
        if let accesses = node.accessesIfAsleep(last.process) {
          if !accesses.isExpected(expected) { nodes[race.first].tryAll() }
          return
        }
        if let index = node.untried.firstIndex(where: { $0.process == last.process }) {
          nodes[race.first].untried[index].accesses.formIntersection(expected)
          return
        }
        if node.enabled.contains(last.process) {
          attempt = Attempt(process: last.process, accesses: expected)
        }
      }
      if let attempt { nodes[race.first].untried.append(attempt) }
    }
  }
#endif
