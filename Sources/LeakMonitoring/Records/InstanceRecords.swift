import WeakCollections

/// The sampled instances of one class, and how many of its instances lived when.
///
/// Bounded, since a leak is what has many instances: while 64 of them live no more are recorded, for the
/// oldest say most. Records of objects that died unseen go when there is no room, then only at every 64th
/// object, so that each costs O(1). Nothing is released under the lock, nor promoted there but what
/// the caller holds.
final class InstanceRecords: Sendable {
  static let capacity = 64
  static let historyCapacity = 16

  fileprivate struct State {
    /// By number, so the oldest first.
    var records: [(number: Int, record: InstanceRecord)] = []
    var added = 0
    var refused = 0
    var history: [CountSample] = []
  }

  private let state = MutexLock(State())

  /// Whether there is room for one more, for who asks before it makes a record, which is dear.
  func makeRoom() -> Bool {
    let (hasRoom, isSweepDue) = state.write { $0.room() }
    guard isSweepDue else { return hasRoom }
    removeDead()
    return state.read { $0.hasRoom }
  }

  /// Returns the number of the record; nil if there is no room, or one of that living object already.
  func add(_ record: InstanceRecord) -> Int? {
    let (number, old) = state.write { state in state.append(record) }
    withExtendedLifetime(old) {}
    return number
  }

  func remove(_ number: Int) {
    withExtendedLifetime(take { $0.number == number }) {}
  }

  func remove(_ object: AnyObject) {
    let identifier = ObjectIdentifier(object)
    withExtendedLifetime(take { $0.record.object?.identifier == identifier }) {}
  }

  /// Those whose instances live, the oldest first.
  var living: [InstanceRecord] {
    state.read { $0.records.map(\.record) }.filter(\.isAlive)
  }

  /// Notes that `liveCount` live, unless as many did when it was noted last. Of many samples the first and
  /// the last stay.
  func note(_ liveCount: Int, at time: Duration) {
    state.write { $0.note(CountSample(time: time, liveCount: liveCount)) }
  }

  var history: [CountSample] { state.read { $0.history } }

  private func removeDead() {
    let dead = Set(state.read { $0.records }.filter { !$0.record.isAlive }.map(\.number))
    withExtendedLifetime(take { dead.contains($0.number) }) {}
  }

  private func take(
    where isTaken: ((number: Int, record: InstanceRecord)) -> Bool
  ) -> [InstanceRecord] {
    state.write { state in
      let taken = state.records.filter(isTaken).map(\.record)
      state.records.removeAll(where: isTaken)
      return taken
    }
  }
}

extension InstanceRecords.State {
  /// Returns the record's number and what it replaces.
  fileprivate mutating func append(_ record: InstanceRecord) -> (Int?, InstanceRecord?) {
    let known = records.firstIndex {
      $0.record.object != nil && $0.record.object?.identifier == record.object?.identifier
    }
    // The caller holds that object: one at its address that lives is it, and not released here.
    if let known, records[known].record.isAlive { return (nil, nil) }
    let old = known.map { records.remove(at: $0).record }
    guard hasRoom else { return (nil, old) }
    added += 1
    refused = 0
    records.append((added, record))
    return (added, old)
  }

  fileprivate var hasRoom: Bool { records.count < InstanceRecords.capacity }

  /// Whether there is room, and if not, whether it is time to look for dead ones.
  fileprivate mutating func room() -> (hasRoom: Bool, isSweepDue: Bool) {
    if hasRoom { return (true, false) }
    defer { refused += 1 }
    return (false, refused % InstanceRecords.capacity == 0)
  }

  /// By time: of threads that note at once the later may come first.
  fileprivate mutating func note(_ sample: CountSample) {
    let place = (history.lastIndex { $0.time <= sample.time } ?? -1) + 1
    guard place == 0 || history[place - 1].liveCount != sample.liveCount else { return }
    history.insert(sample, at: place)
    if history.count > InstanceRecords.historyCapacity { history.remove(at: 1) }
  }
}
