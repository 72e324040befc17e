import WeakCollections

/// Why a text is no scenario: where, and what was expected.
package struct ScenarioError: Error, Equatable, CustomStringConvertible {
  package let description: String
}

// Threads are separated by `/`, steps by `,`. A step is its verb's letter, its key and its object, as in
// `g0`, `s0-3`, `p3`, `a`; `+` behind the object makes it re-entrant. Before the steps, `pin:` is a
// thread that stays pinned, `born0-2:` one that thread 0 starts before its step 2.
extension Scenario {
  package var text: String {
    threads.map { thread in
      let birth = thread.birth.map { "born\($0.parent)-\($0.step):" } ?? ""
      let steps = thread.steps.map(text(of:)).joined(separator: ",")
      return birth + (thread.isPinned ? "pin:" : "") + steps
    }.joined(separator: "/")
  }

  private func text(of step: Scenario.Step) -> String {
    let numbers = [step.key, step.object].compactMap { $0.map(String.init) }.joined(separator: "-")
    let isReentrant = step.object.map(reentrant.contains) ?? false
    return step.verb.rawValue + numbers + (isReentrant ? "+" : "")
  }

  package init(parsing text: String, for collection: CollectionKind) throws(ScenarioError) {
    self.init(collection, [])
    for part in text.split(separator: "/", omittingEmptySubsequences: false) {
      threads.append(try parseThread(part))
    }
    if let defect { throw ScenarioError(description: "'\(text)': \(defect)") }
  }

  private mutating func parseThread(_ text: Substring) throws(ScenarioError) -> ThreadPlan {
    var parts = text.split(separator: ":", omittingEmptySubsequences: false)
    var thread = ThreadPlan([])
    if parts.count > 1, parts[0].hasPrefix("born") {
      thread.birth = try Self.parseBirth(parts.removeFirst())
    }
    if parts.count > 1, parts[0] == "pin" {
      thread.isPinned = true
      parts.removeFirst()
    }
    guard parts.count == 1 else {
      throw ScenarioError(description: "expected 'born0-2:' or 'pin:' before steps, got '\(text)'")
    }
    for step in parts[0].split(separator: ",", omittingEmptySubsequences: parts[0].isEmpty) {
      thread.steps.append(try parseStep(step))
    }
    return thread
  }

  private static func parseBirth(_ text: Substring) throws(ScenarioError) -> Birth {
    let numbers = text.dropFirst(4).split(separator: "-").map(number)
    guard numbers.count == 2, let parent = numbers[0], let step = numbers[1] else {
      throw ScenarioError(description: "expected a birth such as 'born0-2', got '\(text)'")
    }
    return Birth(parent: parent, step: step)
  }

  private mutating func parseStep(_ text: Substring) throws(ScenarioError) -> Scenario.Step {
    let isReentrant = text.hasSuffix("+")
    let rest = isReentrant ? text.dropLast() : text
    let arguments = rest.dropFirst()
    let parts = arguments.split(separator: "-", omittingEmptySubsequences: arguments.isEmpty)
    let numbers = parts.map(Self.number)
    guard let verb = Verb(rawValue: String(rest.prefix(1))),
      let operands = verb.operands(in: collection),
      (operands.key ? 1 : 0) + (operands.object ? 1 : 0) == numbers.count,
      numbers.allSatisfy({ $0 != nil }), operands.object || !isReentrant
    else {
      throw ScenarioError(
        description: "expected a step of a \(collection.rawValue), such as "
          + "'\(Self.exampleStep(of: collection))', got '\(text)'")
    }
    let step = Scenario.Step(
      verb, key: operands.key ? numbers[0] : nil, object: operands.object ? numbers.last! : nil)
    if isReentrant { reentrant.insert(step.object!) }
    return step
  }

  private static func exampleStep(of collection: CollectionKind) -> String {
    collection == .dictionary ? "s0-3" : "\(Verb.enter(collection).rawValue)3"
  }

  /// A number as we write it: digits alone, and small enough to index with.
  private static func number(_ text: Substring) -> Int? {
    guard 1...4 ~= text.count, text.utf8.allSatisfy({ 48...57 ~= $0 }) else { return nil }
    return Int(text)
  }
}
