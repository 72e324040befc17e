/// What a weak set may say of its numbers of elements and entries while others change it.
///
/// - `count`: as a dictionary's, see `CountBounds`, with deaths as removals.
/// - Entries: dead ones may be among them, and one may be counted a moment after it came or went.
/// - Each dead entry is compacted at most once.
/// - While nothing leaves, no two insertions that add get the same number.
struct WeakSetCounts {
  private let recording: Recording
  private let objects: Set<Int>
  private let isFenced: Bool

  init(_ recording: Recording, scenario: Scenario, isFenced: Bool) {
    self.recording = recording
    objects = scenario.objects
    self.isFenced = isFenced
  }

  var violation: Violation? {
    countViolation ?? compactionViolation ?? repetition
  }

  private var countViolation: Violation? {
    // An object's entry leaves by its removal, or unseen once it is dead.
    let live = CountBounds(keyed { $0 == .drop ? .remove : $0 }, keys: objects, isFenced: isFenced)
    let stored = CountBounds(keyed { $0 == .drop ? nil : $0 }, keys: objects, isFenced: isFenced)
    for operation in recording.operations {
      guard let number = operation.number else { continue }
      let least = live.range(for: operation).lowerBound
      let range =
        operation.step.verb == .count
        ? live.range(for: operation) : least...stored.range(for: operation).upperBound
      if range ~= number { continue }
      return Violation(
        .wrongCount,
        "\(operation): the number may be \(range.lowerBound) to \(range.upperBound) there",
        recording: recording)
    }
    return nil
  }

  private var compactionViolation: Violation? {
    let dead = recording.operations.count { $0.step.verb == .drop }
    let compacted = recording.operations.reduce(0) { sum, operation in
      guard [.compact, .compactOne].contains(operation.step.verb),
        case .number(let count)? = operation.answer
      else { return sum }
      return sum + count
    }
    if compacted <= dead { return nil }
    return Violation(
      .wrongCount, "\(compacted) entries were compacted, and \(dead) objects have died",
      recording: recording)
  }

  private var repetition: Violation? {
    let leaving: Set<Verb> = [.remove, .removeAll, .drop]
    if recording.operations.contains(where: { leaving.contains($0.step.verb) }) { return nil }
    var numbers: Set<Int> = []
    for operation in recording.operations {
      guard case .insertion(inserted: true, let entries)? = operation.answer else { continue }
      if numbers.insert(entries).inserted { continue }
      return Violation(
        .wrongCount, "two insertions got the number \(entries), and nothing has left",
        recording: recording)
    }
    return nil
  }

  /// The recording in a dictionary's terms: an object is a key, and inserting it sets that.
  private func keyed(_ verb: (Verb) -> Verb?) -> Recording {
    var keyed = recording
    keyed.operations = recording.operations.compactMap { operation in
      guard let verb = verb(operation.step.verb) else { return nil }
      var operation = operation
      operation.step = Scenario.Step(verb == .join ? .set : verb, key: operation.step.object)
      return operation
    }
    return keyed
  }
}

extension RecordedOperation {
  /// What it said of elements or entries.
  fileprivate var number: Int? {
    switch (step.verb, answer) {
    case (.count, .number(let count)?), (.entryCount, .number(let count)?): count
    case (_, .insertion(_, let entries)?): entries
    default: nil
    }
  }
}
