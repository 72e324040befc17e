#if Interleaving
  import Interleaving

  /// A program of a few accesses, and one of its outcomes.
  ///
  /// The text separates threads by `‖`, and the final values by `:`. An access is a letter, a
  /// variable (`x`, `y` or `z`, initially 0) and a number: `Wx1` stores 1, `Rx0` is a load that
  /// returns 0, `Ax0` adds 1 to 0. `F` is a fence, and `x2` a final value. The ordering follows the
  /// access as `.acq`, `.rel`, `.ar` or `.sc`; without one, it is relaxed.
  struct LitmusProgram: Sendable {
    private let threads: [[Access]]
    private let finals: [Access]

    init(_ text: String) {
      let parts = text.split(separator: ":")
      threads = parts[0].split(separator: "‖").map { $0.split(separator: " ").map(Access.init) }
      finals = parts.dropFirst().flatMap { $0.split(separator: " ") }.map { Access("R" + $0) }
    }

    /// Returns whether a schedule has the outcome. The search is exhaustive.
    func hasOutcome(in memory: MemoryModel) -> Bool {
      let plan = Exploration(
        strategy: .depthFirst(preemptionBound: 20), seed: 1, executions: 20_000_000, memory: memory)
      let outcome = plan.run { execution in
        let run = Run()
        for accesses in threads {
          execution.thread { for access in accesses { run.take(access) } }
        }
        execution.runThreads()
        for access in finals { run.take(access) }
        execution.require(!run.isSame, "found")
      }
      precondition(outcome.isExhaustive || outcome.failure?.failure == .assertion("found"))
      return outcome.failure != nil
    }

    fileprivate struct Access: Sendable {
      let kind: Character
      let variable: Int
      let value: UInt64
      let ordering: LitmusOrdering

      init(_ text: Substring) {
        let parts = text.split(separator: ".")
        ordering = parts.count == 1 ? .relaxed : LitmusOrdering(rawValue: String(parts[1]))!
        kind = text.first!
        variable = kind == "F" ? 0 : ["x": 0, "y": 1, "z": 2][parts[0].dropFirst().first!]!
        value = kind == "F" ? 0 : UInt64(parts[0].dropFirst(2))!
      }
    }

    private final class Variable: Sendable {
      let word = Atomic<UInt64>(0)
    }

    // @unchecked: it belongs to virtual threads, which take turns on one thread of the system.
    private final class Run: @unchecked Sendable {
      private let variables = [Variable(), Variable(), Variable()]
      /// Whether all loads so far returned what the outcome says.
      private(set) var isSame = true

      func take(_ access: Access) {
        let word = variables[access.variable]
        switch access.kind {
        case "W": word.word.store(access.value, ordering: access.ordering.ofStore)
        case "R": expect(word.word.load(ordering: access.ordering.ofLoad), access)
        case "A":
          let added = word.word.wrappingAdd(1, ordering: access.ordering.ofUpdate)
          expect(added.oldValue, access)
        case "F": atomicMemoryFence(ordering: access.ordering.ofUpdate)
        default: preconditionFailure("unknown access \(access.kind)")
        }
      }

      private func expect(_ value: UInt64, _ access: Access) {
        if value != access.value { isSame = false }
      }
    }
  }

  /// The ordering of an access, by its name in a litmus program.
  private enum LitmusOrdering: String {
    case relaxed, acq, rel, ar, sc

    var ofLoad: AtomicLoadOrdering {
      switch self {
      case .relaxed: .relaxed
      case .acq: .acquiring
      case .sc: .sequentiallyConsistent
      case .rel, .ar: preconditionFailure("a load cannot release")
      }
    }

    var ofStore: AtomicStoreOrdering {
      switch self {
      case .relaxed: .relaxed
      case .rel: .releasing
      case .sc: .sequentiallyConsistent
      case .acq, .ar: preconditionFailure("a store cannot acquire")
      }
    }

    var ofUpdate: AtomicUpdateOrdering {
      switch self {
      case .relaxed: .relaxed
      case .acq: .acquiring
      case .rel: .releasing
      case .ar: .acquiringAndReleasing
      case .sc: .sequentiallyConsistent
      }
    }
  }
#endif
