import SeededRandom

/// A call of a scenario: an operation and its argument, both by index.
struct PlannedCall: Hashable, Sendable {
  var operation: Int
  /// 0 for an operation without an argument.
  var argument: Int
}

/// The calls of several threads on one subject, as a value that can be repeated, minimized and
/// printed.
struct CallScenario: Hashable, Sendable {
  /// The calls before the threads start.
  var before: [PlannedCall] = []
  var threads: [[PlannedCall]]
  /// The calls after all threads have ended.
  var after: [PlannedCall] = []

  /// The number of calls.
  var count: Int { before.count + after.count + threads.reduce(0) { $0 + $1.count } }

  /// The calls of each lane: those of the threads, and then those before and after.
  var lanes: [[PlannedCall]] { threads + [before + after] }
}

/// The names of the operations and the texts of their arguments.
final class CallNames: Sendable {
  private let names: [String]
  private let arguments: [[String]]
  /// The role that each operation is reserved for; `nil` if every thread calls it.
  let roles: [String?]

  init<Subject, Model>(_ operations: [StressOperation<Subject, Model>]) {
    names = operations.map(\.name)
    roles = operations.map(\.role)
    arguments = operations.map(\.arguments)
  }

  /// The number of different arguments of each operation; 1 for an operation without an argument.
  var argumentCounts: [Int] { arguments.map { max(1, $0.count) } }

  /// Returns the text of a call, such as `enqueue(3)`.
  func text(of call: PlannedCall) -> String {
    let arguments = arguments[call.operation]
    return "\(names[call.operation])(\(arguments.isEmpty ? "" : arguments[call.argument]))"
  }

  /// A hash of the names and the numbers of arguments, by which a replay string recognizes its
  /// test.
  var fingerprint: String {
    let text = zip(names, argumentCounts).map { "\($0) \($1)" }.joined(separator: ",")
    // FNV-1a, the same in every process.
    let hash = text.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) {
      ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3
    }
    let digits = String((hash ^ hash >> 32) & 0xffff, radix: 16)
    return String(repeating: "0", count: 4 - digits.count) + digits
  }
}

// The text of a scenario: `BEFORE:THREAD/THREAD:AFTER`, with commas between calls. A call is the
// index of its operation and, after a hyphen, of its argument unless it is the first: `0-3`, `1`.
extension CallScenario {
  var text: String {
    func text(_ calls: [PlannedCall]) -> String {
      calls.map { $0.argument == 0 ? "\($0.operation)" : "\($0.operation)-\($0.argument)" }
        .joined(separator: ",")
    }
    return [text(before), threads.map(text).joined(separator: "/"), text(after)]
      .joined(separator: ":")
  }

  /// Creates a scenario from its text.
  ///
  /// - Parameter counts: The number of arguments of each operation.
  /// - Throws: The place of the first defect.
  init(parsing text: String, argumentCounts counts: [Int]) throws(ScenarioError) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 3 else {
      throw ScenarioError(description: "expected 'BEFORE:THREADS:AFTER', got '\(text)'")
    }
    before = try Self.parse(parts[0], counts)
    threads = []
    for thread in parts[1].split(separator: "/", omittingEmptySubsequences: false) {
      threads.append(try Self.parse(thread, counts))
    }
    after = try Self.parse(parts[2], counts)
  }

  private static func parse(
    _ text: Substring, _ counts: [Int]
  ) throws(ScenarioError) -> [PlannedCall] {
    var calls: [PlannedCall] = []
    for word in text.split(separator: ",", omittingEmptySubsequences: text.isEmpty) {
      let numbers = word.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
      guard 1...2 ~= numbers.count, let operation = numbers[0], counts.indices ~= operation,
        let argument = numbers.count == 2 ? numbers[1] : 0, 0..<counts[operation] ~= argument
      else {
        throw ScenarioError(description: "expected a call such as '0-1', got '\(word)'")
      }
      calls.append(PlannedCall(operation: operation, argument: argument))
    }
    return calls
  }
}

extension CallScenario: Reducible {
  var reductions: [CallScenario] {
    let candidates =
      withoutThreads + withoutManyCalls + withoutCallsAround + withoutOneCall + withFirstArguments
    return candidates.map(\.withoutEmptyThreads).filter { $0 != self && !$0.threads.isEmpty }
  }

  private var withoutThreads: [CallScenario] {
    threads.indices.filter { _ in threads.count > 1 }.map { index in
      changed { $0.threads.remove(at: index) }
    }
  }

  private var withoutManyCalls: [CallScenario] {
    threads.indices.flatMap { thread in
      blocks(of: threads[thread].count).map { block in
        changed { $0.threads[thread].removeSubrange(block) }
      }
    }
  }

  private var withoutCallsAround: [CallScenario] {
    [changed { $0.before = [] }, changed { $0.after = [] }]
      + before.indices.map { index in changed { $0.before.remove(at: index) } }
      + after.indices.map { index in changed { $0.after.remove(at: index) } }
  }

  private var withoutOneCall: [CallScenario] {
    threads.indices.flatMap { thread in
      threads[thread].indices.map { index in changed { $0.threads[thread].remove(at: index) } }
    }
  }

  private var withFirstArguments: [CallScenario] {
    threads.indices.flatMap { thread in
      threads[thread].indices.map { index in changed { $0.threads[thread][index].argument = 0 } }
    }
  }

  private func changed(_ change: (inout CallScenario) -> Void) -> CallScenario {
    var copy = self
    change(&copy)
    return copy
  }

  private var withoutEmptyThreads: CallScenario {
    changed { $0.threads.removeAll(where: \.isEmpty) }
  }
}

/// Draws random scenarios. A seed gives the same scenarios on every machine.
///
/// Half of the scenarios use only some of the operations ("swarm testing", Groce et al. 2012).
struct CallGenerator: Sendable {
  let argumentCounts: [Int]
  private let roles: [String?]
  let options: StressOptions
  private var random: SplitMix64

  /// Creates a generator.
  ///
  /// - Parameter roles: The roles of the operations; those without one need not be listed.
  init(argumentCounts: [Int], roles: [String?] = [], options: StressOptions, seed: UInt64) {
    self.argumentCounts = argumentCounts
    self.roles = roles
    self.options = options
    random = SplitMix64(seed: seed)
  }

  mutating func next() -> CallScenario {
    var operations = Array(argumentCounts.indices)
    if random.number(below: 2) == 0 {
      random.shuffle(&operations)
      operations.removeLast(random.number(below: operations.count))
    }
    let count = number(in: options.threads)
    let owners = owners(among: count)
    let before = calls(of: operations, count: number(in: options.callsBefore))
    let threads = (0..<count).map { thread in
      let allowed = operations.filter { roles.isEmpty || owners[roles[$0]] ?? thread == thread }
      return calls(of: allowed, count: number(in: options.callsPerThread))
    }
    return CallScenario(
      before: before, threads: threads.filter { !$0.isEmpty },
      after: calls(of: Array(argumentCounts.indices), count: number(in: options.callsAfter)))
  }

  /// Draws the thread of each role.
  private mutating func owners(among threads: Int) -> [String?: Int] {
    var owners: [String?: Int] = [:]
    for case let role? in roles where owners[role] == nil {
      owners[role] = random.number(below: threads)
    }
    return owners
  }

  /// Returns calls of one thread; none if there is no operation.
  mutating func calls(of operations: [Int], count: Int) -> [PlannedCall] {
    if operations.isEmpty { return [] }
    return (0..<count).map { _ in
      let operation = operations[random.number(below: operations.count)]
      return PlannedCall(
        operation: operation, argument: random.number(below: argumentCounts[operation]))
    }
  }

  private mutating func number(in range: ClosedRange<Int>) -> Int {
    range.lowerBound + random.number(below: range.count)
  }
}
