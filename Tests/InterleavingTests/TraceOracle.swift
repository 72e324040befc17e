#if Interleaving
  import Interleaving

  /// Checks a trace against the C++ memory model, independent of the scheduler's implementation.
  ///
  /// Every value is written at most once, so a value identifies its write.
  struct TraceOracle {
    private struct Access {
      var step: Int
      var thread: Int
      var word: String
      var reads: UInt64?
      var writes: UInt64?
      /// The number of steps of each thread that happened before the access, itself included.
      var clock: [Int]
      /// The position of the access among its thread's accesses, from 1.
      var time: Int
      var isPlain: Bool
      var isSequentiallyConsistent: Bool
    }

    private var accesses: [Access] = []
    private var clocks: [[Int]]
    /// The clock that a thread acquires by reading a value.
    private var released: [UInt64: [Int]] = [:]
    /// The step of the trace at which each value became visible. 0 is the initial value.
    private var commits: [UInt64: Int] = [0: -1]

    init(_ failed: FailedExecution) {
      clocks = failed.threads.map { _ in failed.threads.map { _ in 0 } }
      for (index, step) in failed.trace.enumerated() where step.thread > 0 { take(step, index) }
    }

    private mutating func take(_ step: Step, _ index: Int) {
      let ordering = step.ordering ?? .relaxed
      let (read, written): (UInt64?, UInt64?) =
        switch step.kind {
        case .load, .failedCompareExchange: (step.value, nil)
        case .store: (nil, step.value)
        case .update, .compareExchange: (step.previous, step.value)
        default: (nil, nil)
        }
      switch step.kind {
      case .drain: commits[step.value!] = index
      case .load, .failedCompareExchange, .store, .update, .compareExchange, .read, .write:
        let thread = step.thread
        clocks[thread][thread] += 1
        if let read,
          [.acquiring, .acquiringAndReleasing, .sequentiallyConsistent].contains(ordering)
        {
          join(&clocks[thread], released[read])
        }
        if let written {
          commits[written] = index
          // An update continues the release sequence of the value that it read.
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

    /// Returns the first pair of accesses to one word, in the order of the trace, that is wrong.
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

    /// Two accesses whose values contradict the happens-before order, or the total order of
    /// sequentially consistent operations. That total order starts only at writes here, because a
    /// load may read the thread's own buffered store before it is visible to others.
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

    /// The position of the access's latest value in the modification order of the word.
    private func age(_ access: Access) -> Int { commits[access.writes ?? access.reads!]! }

    /// An update that does not directly follow the value that it read in the modification order.
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
