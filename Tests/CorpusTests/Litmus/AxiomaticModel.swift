#if Interleaving
  /// The outcomes that C++20 allows for a litmus program, by its axioms: an oracle that knows
  /// nothing of executions, buffers or promises.
  ///
  /// It enumerates the candidates: for each read, the write that it reads from (`rf`), and for each
  /// variable, an order of its writes (`mo`). A candidate is allowed if it satisfies the axioms of
  /// RC11 (Lahav, Vafeiadis, Kang, Hur and Dreyer, PLDI 2017) with two changes of C++20: its
  /// release sequences, and its *coherence-ordered before* between sequentially consistent
  /// accesses. RC11's axiom against values out of thin air is left out: C++ does not have it. The
  /// programs have no dependencies, so no value comes out of thin air.
  struct AxiomaticModel {
    private struct Event {
      let access: LitmusProgram.Access
      /// -1 for the initial write of a variable.
      let thread: Int

      var isFence: Bool { access.kind == "F" }
      var isUpdate: Bool { access.kind == "A" }
      var reads: Bool { access.kind == "R" || isUpdate }
      var writes: Bool { access.kind == "W" || isUpdate }
      var isTotal: Bool { access.ordering == .sc }
      var acquires: Bool {
        (reads || isFence) && [.acq, .ar, .sc].contains(access.ordering)
      }
      var releases: Bool {
        (writes || isFence) && thread >= 0 && [.rel, .ar, .sc].contains(access.ordering)
      }
    }

    private let events: [Event]
    private let variables: Range<Int>
    private let order: Relation

    init(_ program: LitmusProgram) {
      variables = 0..<LitmusProgram.variableCount
      events =
        variables.map { Event(access: .initial(variable: $0), thread: -1) }
        + program.threads.enumerated().flatMap { thread, accesses in
          accesses.map { Event(access: $0, thread: thread) }
        }
      let events = self.events
      order = Relation(events.count) { first, second in
        first < second
          && (events[first].thread < 0 && events[second].thread >= 0
            || events[first].thread == events[second].thread && events[first].thread >= 0)
      }
    }

    /// The values of all reads, by thread, and the final values of the variables.
    func outcomes() -> Set<[UInt64]> {
      var outcomes: Set<[UInt64]> = []
      let writes = variables.map { variable in
        events.indices.filter { events[$0].writes && events[$0].access.variable == variable }
      }
      // The initial write is the first one.
      let orders = writes.map { list in
        permutations(Array(list.dropFirst())).map { [list[0]] + $0 }
      }
      let reads = events.indices.filter { events[$0].reads }
      for writeOrders in product(orders) {
        for sources in product(reads.map { writes[events[$0].access.variable] }) {
          let candidate = Dictionary(uniqueKeysWithValues: zip(reads, sources))
          guard isConsistent(candidate, writeOrders),
            let outcome = outcome(candidate, writeOrders)
          else { continue }
          outcomes.insert(outcome)
        }
      }
      return outcomes
    }

    private func outcome(_ sources: [Int: Int], _ orders: [[Int]]) -> [UInt64]? {
      var values: [Int: UInt64] = [:]
      func written(_ event: Int, depth: Int) -> UInt64? {
        if !events[event].isUpdate { return events[event].access.value }
        guard depth < events.count else { return nil }
        return written(sources[event]!, depth: depth + 1).map { $0 + 1 }
      }
      for (read, source) in sources {
        guard let value = written(source, depth: 0) else { return nil }
        values[read] = value
      }
      let finals = orders.compactMap { written($0.last!, depth: 0) }
      return values.sorted { $0.key < $1.key }.map(\.value) + finals
    }

    // MARK: The axioms

    private func isConsistent(_ sources: [Int: Int], _ orders: [[Int]]) -> Bool {
      let count = events.count
      var from = Relation(count)
      for (read, source) in sources { from.insert(source, read) }
      var modification = Relation(count)
      for list in orders {
        for (place, write) in list.enumerated() {
          for later in list[(place + 1)...] { modification.insert(write, later) }
        }
      }
      // Atomicity: an update follows the write that it reads from immediately.
      for (read, source) in sources where events[read].isUpdate {
        let list = orders[events[read].access.variable]
        guard list.firstIndex(of: source)! + 1 == list.firstIndex(of: read)! else { return false }
      }
      let before = from.inverse.then(modification).withoutIdentity
      let communication = from.union(modification).union(before).closure
      let happens = order.union(synchronization(from)).closure
      guard happens.isIrreflexive, happens.then(communication).isIrreflexive else { return false }
      return totalOrder(happens, communication).closure.isIrreflexive
    }

    /// A release synchronizes with an acquire that reads from its release sequence.
    private func synchronization(_ from: Relation) -> Relation {
      let toUpdates = from.filter { events[$1].isUpdate }
      let sequences = toUpdates.closure.union(.identity(events.count)).filter { first, _ in
        events[first].writes
      }
      let releases = Relation(events.count) { first, second in
        events[first].releases && events[second].writes
          && (first == second || events[first].isFence && order.contains(first, second))
      }
      let acquires = Relation(events.count) { first, second in
        events[second].acquires && events[first].reads
          && (first == second || events[second].isFence && order.contains(first, second))
      }
      return releases.then(sequences).then(from).then(acquires)
    }

    /// What the single total order of sequentially consistent events must contain (`psc`).
    private func totalOrder(_ happens: Relation, _ communication: Relation) -> Relation {
      let identity = Relation.identity(events.count)
      let elsewhere = order.filter { !isSameVariable($0, $1) }
      let base = order.union(elsewhere.then(happens).then(elsewhere))
        .union(happens.filter(isSameVariable)).union(communication)
      let total = identity.filter { event, _ in events[event].isTotal }
      let fences = total.filter { event, _ in events[event].isFence }
      let maybe = happens.union(identity)
      let left = total.union(fences.then(maybe))
      let right = total.union(maybe.then(fences))
      let ofFences = fences.then(happens.union(happens.then(communication).then(happens)))
        .then(fences)
      return left.then(base).then(right).union(ofFences)
    }

    private func isSameVariable(_ first: Int, _ second: Int) -> Bool {
      !events[first].isFence && !events[second].isFence
        && events[first].access.variable == events[second].access.variable
    }
  }

  /// A relation on the numbers below a count of at most 32.
  private struct Relation {
    private var rows: [UInt32]

    init(_ count: Int) { rows = Array(repeating: 0, count: count) }

    init(_ count: Int, _ contains: (Int, Int) -> Bool) {
      self.init(count)
      for first in rows.indices {
        for second in rows.indices where contains(first, second) { insert(first, second) }
      }
    }

    static func identity(_ count: Int) -> Relation { Relation(count, ==) }

    func contains(_ first: Int, _ second: Int) -> Bool { rows[first] & 1 << UInt32(second) != 0 }

    mutating func insert(_ first: Int, _ second: Int) { rows[first] |= 1 << UInt32(second) }

    func filter(_ condition: (Int, Int) -> Bool) -> Relation {
      Relation(rows.count) { contains($0, $1) && condition($0, $1) }
    }

    func union(_ other: Relation) -> Relation {
      var result = self
      for row in rows.indices { result.rows[row] |= other.rows[row] }
      return result
    }

    func then(_ other: Relation) -> Relation {
      var result = Relation(rows.count)
      for row in rows.indices {
        for middle in rows.indices where contains(row, middle) {
          result.rows[row] |= other.rows[middle]
        }
      }
      return result
    }

    var inverse: Relation { Relation(rows.count) { contains($1, $0) } }

    var withoutIdentity: Relation { filter { $0 != $1 } }

    var isIrreflexive: Bool { !rows.indices.contains { contains($0, $0) } }

    /// The transitive closure, by Warshall's algorithm.
    var closure: Relation {
      var result = self
      for middle in rows.indices {
        for row in rows.indices where result.contains(row, middle) {
          result.rows[row] |= result.rows[middle]
        }
      }
      return result
    }
  }

  private func permutations(_ list: [Int]) -> [[Int]] {
    if list.isEmpty { return [[]] }
    return list.indices.flatMap { index -> [[Int]] in
      var rest = list
      let first = rest.remove(at: index)
      return permutations(rest).map { [first] + $0 }
    }
  }

  /// Returns all ways to take one element of each list.
  private func product<Element>(_ lists: [[Element]]) -> [[Element]] {
    lists.reduce([[]]) { taken, list in taken.flatMap { start in list.map { start + [$0] } } }
  }
#endif
