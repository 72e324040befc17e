import RuntimeInspection

extension LeakReport {
  /// The message, and who holds what lives, as far as that was looked for: a line for each step of a path.
  package var messageWithHolders: String {
    ([message] + holderLines.map { "  \($0)" }).joined(separator: "\n")
  }

  /// Who holds what lives; empty if nobody looked.
  package var holderLines: [String] {
    let found = survivors.filter { $0.retainFinding != nil }
    return zip(1..., found).flatMap { number, survivor in
      (found.count > 1 ? ["\(number). \(survivor.description)"] : []) + survivor.holderLines
    }
  }

  /// Takes the state that follows from who holds its survivor.
  package mutating func noteRunningTask() {
    guard state == .leaked, case .survivor = finding,
      survivors.first?.retainPath?.origin == .runningTask
    else { return }
    state = .retainedByRunningTask
  }
}

extension LeakSurvivor {
  /// For people; empty if nobody looked.
  var holderLines: [String] {
    guard let retainFinding else { return [] }
    return switch retainFinding {
    case .path(let path, _): path.text.split(separator: "\n").map(String.init)
    case .none(let count):
      ["held by nothing that can be seen; strong references: \(count)"]
    case .unavailable(let reason): ["who holds it cannot be told: \(reason)"]
    }
  }
}
