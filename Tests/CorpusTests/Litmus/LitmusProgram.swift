#if Interleaving
  import Interleaving

  /// A program of a few accesses, and one of its outcomes.
  ///
  /// The text separates threads by `‖`, and the final values by `:`. An access is a letter, a
  /// variable (`x`, `y` or `z`, initially 0) and a number: `Wx1` stores 1, `Rx0` is a load that
  /// returns 0, `Ax0` adds 1 to 0. `F` is a fence, and `x2` a final value. The ordering follows the
  /// access as `.acq`, `.rel`, `.ar` or `.sc`; without one, it is relaxed.
  struct LitmusProgram: Sendable {
    let threads: [[Access]]
    private let finals: [Access]

    init(_ text: String) {
      let parts = text.split(separator: ":")
      threads = parts[0].split(separator: "‖").map { $0.split(separator: " ").map(Access.init) }
      finals = parts.dropFirst().flatMap { $0.split(separator: " ") }.map { Access("R" + $0) }
    }

    /// Creates a program without an outcome.
    init(threads: [[Access]]) {
      self.threads = threads
      finals = []
    }

    static var variableCount: Int { 3 }

    /// Returns all outcomes: the values of the reads, by thread, and the final values of the
    /// variables. The search is exhaustive.
    func outcomes(in memory: MemoryModel) -> Set<[UInt64]> {
      let plan = Exploration(
        strategy: .depthFirst(preemptionBound: 20), seed: 1, executions: 20_000_000, memory: memory)
      let found = Found()
      let outcome = plan.run { execution in
        let run = Run()
        let reads = threads.map { _ in Found() }
        for (accesses, reads) in zip(threads, reads) {
          execution.thread { for access in accesses { reads.values += run.values(of: access) } }
        }
        execution.runThreads()
        if execution.hasBrokenPromise { return }
        let finals = (0..<Self.variableCount).map(run.value)
        found.outcomes.insert(reads.flatMap(\.values) + finals)
      }
      precondition(outcome.isExhaustive, "\(self) has too many executions")
      return found.outcomes
    }

    /// Returns whether an element of `outcomes(in:)` is the program's outcome.
    func hasOutcome(_ values: [UInt64]) -> Bool {
      let reads = threads.joined().filter { $0.kind == "R" || $0.kind == "A" }
      let end = reads.count
      return zip(reads, values).allSatisfy { $0.value == $1 }
        && finals.allSatisfy { values[end + $0.variable] == $0.value }
    }

    // @unchecked: as `Run`.
    private final class Found: @unchecked Sendable {
      var values: [UInt64] = []
      var outcomes: Set<[UInt64]> = []
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

    struct Access: Sendable {
      let kind: Character
      let variable: Int
      let value: UInt64
      let ordering: LitmusOrdering

      init(_ kind: Character, variable: Int, value: UInt64, _ ordering: LitmusOrdering) {
        self.kind = kind
        self.variable = variable
        self.value = value
        self.ordering = ordering
      }

      /// The write of 0 before the program.
      static func initial(variable: Int) -> Access {
        Access("W", variable: variable, value: 0, .relaxed)
      }

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
        if values(of: access).contains(where: { $0 != access.value }) { isSame = false }
      }

      /// Takes the access and returns the value that it reads; none if it does not read.
      func values(of access: Access) -> [UInt64] {
        let variable = variables[access.variable]
        switch access.kind {
        case "W": variable.word.store(access.value, ordering: access.ordering.ofStore)
        case "R": return [variable.word.load(ordering: access.ordering.ofLoad)]
        case "A":
          return [variable.word.wrappingAdd(1, ordering: access.ordering.ofUpdate).oldValue]
        case "F": atomicMemoryFence(ordering: access.ordering.ofUpdate)
        default: preconditionFailure("unknown access \(access.kind)")
        }
        return []
      }

      func value(_ variable: Int) -> UInt64 { variables[variable].word.load(ordering: .relaxed) }
    }
  }

  extension LitmusProgram: CustomStringConvertible {
    /// The program's text, without an outcome.
    var description: String {
      threads.map { $0.map(\.description).joined(separator: " ") }.joined(separator: " ‖ ")
    }
  }

  extension LitmusProgram.Access: CustomStringConvertible {
    var description: String {
      let name = kind == "F" ? "" : ["x", "y", "z"][variable]
      let number = kind == "W" ? "\(value)" : ""
      return "\(kind)\(name)\(number)" + (ordering == .relaxed ? "" : ".\(ordering.rawValue)")
    }
  }

  /// The ordering of an access, by its name in a litmus program.
  enum LitmusOrdering: String {
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
