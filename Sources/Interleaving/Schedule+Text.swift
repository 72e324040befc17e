// A schedule as a word that survives a shell: `1sb:1x3,2,d1.0,s2` reads version 1, store buffers;
// thread 1 takes three steps, thread 2 takes one, entry 0 of thread 1's buffer is drained, thread 2
// is suspended.

/// Why a text is no schedule.
public enum ScheduleError: Error, Hashable {
  /// The text begins with another version than 1.
  case otherVersion(String)
  /// What is at `column`, counted from 1, is not what was expected there.
  case malformed(column: Int, expected: String)
}

extension ScheduleError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .otherVersion(let version):
      "the schedule is of version \(version); this build reads version \(Schedule.version)"
    case .malformed(let column, let expected):
      "column \(column) of the schedule: expected \(expected)"
    }
  }
}

extension Schedule: CustomStringConvertible {
  static let version = "1"

  public var description: String {
    var runs: [(decision: Decision, count: Int)] = []
    for decision in decisions {
      if runs.last?.decision == decision {
        runs[runs.count - 1].count += 1
      } else {
        runs.append((decision, 1))
      }
    }
    let words = runs.map { $0.count == 1 ? $0.decision.text : "\($0.decision.text)x\($0.count)" }
    return "\(Self.version)\(memory.rawValue):" + words.joined(separator: ",")
  }
}

extension Decision {
  fileprivate var text: String {
    switch self {
    case .run(let thread): "\(thread)"
    case .drain(let thread, let entry): "d\(thread).\(entry)"
    case .suspend(let thread): "s\(thread)"
    }
  }
}

extension Schedule {
  /// No execution takes more decisions.
  static let longest = 1 << 24

  /// Reads what `description` writes.
  public init(parsing text: String) throws(ScheduleError) {
    var reader = ScheduleReader(text)
    memory = try reader.header()
    decisions = []
    while !reader.isAtEnd {
      if !decisions.isEmpty { try reader.expect(",", "a comma or the end") }
      let decision = try reader.decision()
      let count = reader.skip("x") ? try reader.number(1...Self.longest - decisions.count) : 1
      decisions.append(contentsOf: repeatElement(decision, count: count))
    }
  }
}
