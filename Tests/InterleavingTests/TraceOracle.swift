#if Interleaving
  import Interleaving

  /// Judges a trace by what C++ promises, knowing nothing of how a scheduler comes to it.
  ///
  /// Every value is written at most once, so a value tells its write.
  struct TraceOracle {
    private struct Access {
      var step: Int
      var thread: Int
      var word: String
      var reads: UInt64?
      var writes: UInt64?
      /// How many steps of each thread happened before, this one among them.
      var clock: [Int]
      /// This access is its thread's so many-th.
      var time: Int
      var isPlain: Bool
      var isSequentiallyConsistent: Bool
    }

    private var accesses: [Access] = []
    private var clocks: [[Int]]
    /// What who acquires a value learns.
    private var released: [UInt64: [Int]] = [:]
    /// When each value reached memory, by the trace's steps; 0 was there before.
    private var commits: [UInt64: Int] = [0: -1]

    init(_ failed: FailedExecution) {
      clocks = failed.threads.map { _ in failed.threads.map { _ in 0 } }
      for (index, step) in failed.trace.enumerated() where step.thread > 0 { take(step, index) }
    }

    private mutating func take(_ step: Step, _ index: Int) {
      let ordering = step.ordering ?? .relaxed
      let (read, written): (UInt64?, UInt64?) =
        switch step.kind {
        case .load, .failedExchange: (step.value, nil)
        case .store: (nil, step.value)
        case .update, .exchange: (step.previous, step.value)
        default: (nil, nil)
        }
      switch step.kind {
      case .drain: commits[step.value!] = index
      case .load, .failedExchange, .store, .update, .exchange, .read, .write:
        let thread = step.thread
        clocks[thread][thread] += 1
        if let read,
          [.acquiring, .acquiringAndReleasing, .sequentiallyConsistent].contains(ordering)
        {
          join(&clocks[thread], released[read])
        }
        if let written {
          commits[written] = index
          // An update continues the release sequence of what it read.
          var clock = read.flatMap { released[$0] }
          if [.releasing, .acquiringAndReleasing, .sequentiallyConsistent].contains(ordering) {
            clock = clock ?? clocks[thread]
            join(&clock!, clocks[thread])
          }
          released[written] = clock
        }
        let isPlain = step.kind == .read || step.kind == .write
        accesses.append(
          Access(
            step: index, thread: thread, word: step.variable!, reads: read,
            writes: step.kind == .write ? UInt64(index) : written, clock: clocks[thread],
            time: clocks[thread][thread], isPlain: isPlain,
            isSequentiallyConsistent: ordering == .sequentiallyConsistent))
      default: break
      }
    }

    private func join(_ clock: inout [Int], _ other: [Int]?) {
      guard let other else { return }
      for lane in clock.indices { clock[lane] = max(clock[lane], other[lane]) }
    }

    private func happens(_ first: Access, before second: Access) -> Bool {
      first.step < second.step && first.time <= second.clock[first.thread]
    }

    /// Pairs of accesses to one word, in the order of the trace.
    private func firstPair(_ isWrong: (Access, Access) -> Bool) -> String? {
      for (index, second) in accesses.enumerated() {
        for first in accesses[..<index] where first.word == second.word && isWrong(first, second) {
          return "steps \(first.step) and \(second.step)"
        }
      }
      return nil
    }

    var race: String? {
      firstPair {
        $0.isPlain && $1.isPlain && ($0.writes != nil || $1.writes != nil)
          && $0.thread != $1.thread && !happens($0, before: $1)
      }
    }

    /// What one thread saw too early or too late, of what happened before or of the total order of
    /// the sequentially consistent. Loads are left out of that where no machine keeps them in: a
    /// thread sees its own late store first.
    var incoherence: String? {
      firstPair { first, second in
        guard !first.isPlain, !second.isPlain else { return false }
        let isOrdered =
          happens(first, before: second)
          || first.writes != nil && first.isSequentiallyConsistent
            && second.isSequentiallyConsistent
        return isOrdered && age(first) > age(second)
      } ?? tornUpdate
    }

    /// The place, in the order of the word's values, of what was seen last.
    private func age(_ access: Access) -> Int { commits[access.writes ?? access.reads!]! }

    /// An update that does not come right after what it read.
    private var tornUpdate: String? {
      for update in accesses {
        guard !update.isPlain, let read = update.reads, let written = update.writes else {
          continue
        }
        let between = accesses.contains { other in
          guard other.word == update.word, let value = other.writes, !other.isPlain else {
            return false
          }
          return value != written && commits[value]! > commits[read]!
            && commits[value]! < commits[written]!
        }
        if between || commits[read]! > commits[written]! { return "step \(update.step)" }
      }
      return nil
    }
  }
#endif
