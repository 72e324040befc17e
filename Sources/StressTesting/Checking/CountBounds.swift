/// What `count` of a dictionary may answer while others change it.
///
/// At least the keys that were present throughout the call, at most those that were not absent
/// throughout, and off by one more in either direction for each change of a key under way during the
/// call: an implementation may count a key a moment after it is there. At rest it is exact.
///
/// Where no fence stands between the operations of different threads, as under a managed scheduler with
/// store buffers, every change that another thread began before is one under way: `count` promises
/// nothing to those whom nothing orders.
struct CountBounds {
  private let operations: [RecordedOperation]
  private let keys: Set<Int>
  private let isFenced: Bool
  /// By key, found once: a history may have thousands of operations, and as many ask.
  private let makers: [Int: [RecordedOperation]]
  private let removers: [Int: [RecordedOperation]]
  private let removersOfAll: [RecordedOperation]

  init(_ recording: Recording, keys: Set<Int>, isFenced: Bool) {
    operations = recording.operations
    self.keys = keys
    self.isFenced = isFenced
    makers = Self.byKey(operations) { [.set, .insert, .update].contains($0) }
    removers = Self.byKey(operations) { $0 == .remove }
    removersOfAll = operations.filter { $0.step.verb == .removeAll }
  }

  private static func byKey(
    _ operations: [RecordedOperation], _ isAsked: (Verb) -> Bool
  ) -> [Int: [RecordedOperation]] {
    var byKey: [Int: [RecordedOperation]] = [:]
    for operation in operations where isAsked(operation.step.verb) {
      if let key = operation.step.key { byKey[key, default: []].append(operation) }
    }
    return byKey
  }

  func range(for count: RecordedOperation) -> ClosedRange<Int> {
    let end = count.return ?? .max
    let present = keys.filter { isSurelyPresent($0, from: count.call, to: end) }.count
    let absent = keys.filter { isSurelyAbsent($0, from: count.call, to: end) }.count
    let pending = operations.reduce(0) { sum, operation in
      let isOver = operation.return.map { $0 < count.call } ?? false
      let isSeen = isOver && (isFenced || operation.lane == count.lane)
      return operation.call > end || isSeen ? sum : sum + changes(of: operation)
    }
    return max(0, present - pending)...keys.count - absent + pending
  }

  /// How many keys an operation may change.
  private func changes(of operation: RecordedOperation) -> Int {
    switch operation.step.verb {
    case .set, .insert, .update, .remove: 1
    case .removeAll: keys.count
    default: 0
    }
  }

  private func makers(of key: Int) -> [RecordedOperation] { makers[key] ?? [] }

  private func removers(of key: Int) -> [RecordedOperation] {
    removersOfAll + (removers[key] ?? [])
  }

  /// Something put it there before, and whatever removes it came before that or comes later.
  private func isSurelyPresent(_ key: Int, from start: UInt64, to end: UInt64) -> Bool {
    makers(of: key).contains { maker in
      guard let made = maker.return, made < start else { return false }
      return removers(of: key).allSatisfy { remover in
        remover.call > end || remover.return.map { $0 < maker.call } ?? false
      }
    }
  }

  /// Whatever puts it there comes later, or was undone before.
  private func isSurelyAbsent(_ key: Int, from start: UInt64, to end: UInt64) -> Bool {
    makers(of: key).allSatisfy { maker in
      maker.call > end
        || removers(of: key).contains { remover in
          guard let made = maker.return, let removed = remover.return else { return false }
          return made < remover.call && removed < start
        }
    }
  }
}
