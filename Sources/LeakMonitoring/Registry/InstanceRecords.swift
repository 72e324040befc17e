import Primitives
import RuntimeInspection
import WeakCollections
import WeakReferences

#if canImport(ObjectiveC)
  import ObjectiveC
#endif

/// A weak reference that any thread may ask whether its object is alive.
///
/// `isAlive` neither retains the object nor, where weak slots allow, promotes the reference.
package final class LifeSign {
  private let slot: WeakSlot

  package init(_ object: AnyObject) {
    slot = WeakSlot(object)
  }

  /// False once the object's `deinit` has begun.
  package var isAlive: Bool {
    // A promoted object is released on return, where a `deinit` may run.
    var promoted = PromotedObjects()
    return withUnsafePointer(to: slot) { !WeakSlot.isDead(at: $0, promoted: &promoted) }
  }

  /// Returns the object; nil once its `deinit` has begun. Release the result outside locks, and use
  /// it only to search for its holders.
  func promote() -> AnyObject? { withUnsafePointer(to: slot, WeakSlot.promote) }

  /// Whether this refers to `object`, which the caller keeps alive. Safe under a lock: it releases
  /// nothing that the caller does not hold too.
  func refers(to object: AnyObject) -> Bool {
    let identity = ObjectIdentity(of: object)
    return withUnsafePointer(to: slot) { WeakSlot.refers(at: $0, to: identity) }
  }

  /// Whether this refers to `object`, whose address its own object has or had. The caller keeps
  /// `object` alive or is in its `deinit`. Safe under a lock, as `refers`.
  ///
  /// If `object` is in its `deinit`, no weak reference refers to it any more; then the answer may
  /// be true for a dead predecessor at its address. On Apple platforms an Objective-C object counts
  /// as being in its `deinit`.
  func isThat(of object: AnyObject) -> Bool {
    refers(to: object) || Self.isDying(object)
  }

  private static func isDying(_ object: AnyObject) -> Bool {
    #if canImport(ObjectiveC)
      // Forming a weak reference in the `deinit` of such an object ends the program.
      if object is any NSObjectProtocol { return true }
    #endif
    return !LifeSign(object).isAlive
  }
}

// @unchecked: immutable; threads may read one slot concurrently, and nobody uses the object.
extension LifeSign: @unchecked Sendable {}

/// A sampled instance.
struct InstanceRecord: Sendable {
  let type: AnyClass
  /// The time since the monitor was created.
  let birth: Duration
  let site: CallSite
  let backtrace: CreationBacktrace?
  /// Nil if the record is removed with its instance, as for lifetime tokens.
  let object: (identifier: ObjectIdentifier, sign: LifeSign)?

  var isAlive: Bool { object?.sign.isAlive ?? true }

  func survivor(at now: Duration) -> LeakSurvivor {
    LeakSurvivor(
      typeName: TypeName.stable(type), description: TypeName.short(type),
      // Another thread may have recorded it after `now`.
      age: max(.zero, now - birth),
      site: site, backtrace: backtrace)
  }
}

// MARK: - Records of a class

/// The sampled instances of one class, and the history of its live count.
///
/// Bounded: while 64 recorded instances are alive no more are recorded, because a leak has many
/// instances and the oldest say most. When there is no room, every 64th object sweeps the records
/// of dead objects, so that each costs O(1). Nothing is released under the lock, and nothing
/// promoted there except what the caller holds.
final class InstanceRecords: Sendable {
  static let capacity = 64
  static let historyCapacity = 16

  private struct State {
    /// Sorted by number, so the oldest first.
    var records: [(number: Int, record: InstanceRecord)] = []
    var added = 0
    var refused = 0
    var history: [CountSample] = []

    /// Returns the record's number and the record that it replaces.
    mutating func append(_ record: InstanceRecord) -> (Int?, InstanceRecord?) {
      let known = records.firstIndex {
        $0.record.object != nil && $0.record.object?.identifier == record.object?.identifier
      }
      // The caller holds the object, so a live one at its address is the same, and is not released
      // here.
      if let known, records[known].record.isAlive { return (nil, nil) }
      let old = known.map { records.remove(at: $0).record }
      guard hasRoom else { return (nil, old) }
      added += 1
      refused = 0
      records.append((added, record))
      return (added, old)
    }

    var hasRoom: Bool { records.count < capacity }

    /// Returns whether there is room, and if not, whether a sweep for dead instances is due.
    mutating func room() -> (hasRoom: Bool, isSweepDue: Bool) {
      if hasRoom { return (true, false) }
      defer { refused += 1 }
      return (false, refused % capacity == 0)
    }

    /// Inserts by time: of concurrent samples the later may arrive first.
    mutating func note(_ sample: CountSample) {
      let place = (history.lastIndex { $0.time <= sample.time } ?? -1) + 1
      guard place == 0 || history[place - 1].liveCount != sample.liveCount else { return }
      history.insert(sample, at: place)
      if history.count > historyCapacity { history.remove(at: 1) }
    }
  }

  private let state = MutexLock(State())

  /// Returns whether there is room for a record. Ask before creating one, which is expensive.
  func makeRoom() -> Bool {
    let (hasRoom, isSweepDue) = state.write { $0.room() }
    guard isSweepDue else { return hasRoom }
    removeDead()
    return state.read { $0.hasRoom }
  }

  /// Returns the number of the record; nil if there is no room, or a record of that live object.
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

  /// The records whose instances are alive, the oldest first.
  var living: [InstanceRecord] {
    state.read { $0.records.map(\.record) }.filter(\.isAlive)
  }

  /// Adds `liveCount` to the history unless the last sample has the same count. The first and the
  /// latest samples stay.
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

/// The records of all classes with validated objects.
final class RecordBooks: Sendable {
  private let books = MutexLock<[ObjectIdentifier: InstanceRecords]>([:])

  func book(of type: AnyClass) -> InstanceRecords {
    books.write { books in
      let book = books[ObjectIdentifier(type)] ?? InstanceRecords()
      books[ObjectIdentifier(type)] = book
      return book
    }
  }

  func remove(_ object: AnyObject) {
    books.read { $0[ObjectIdentifier(type(of: object))] }?.remove(object)
  }

  func removeAll() {
    // The closure returns the old books, so that they are released outside the lock.
    _ = books.write { books in
      let old = books
      books = [:]
      return old
    }
  }
}

// MARK: - Reports

/// The subject of a report, from which the monitor completes it.
struct LeakSubject: Sendable {
  /// The records of the class or group, with the history of its count.
  let book: InstanceRecords
  /// Returns the current records of a group's classes: classes may join while a check waits.
  var others: @Sendable () -> [InstanceRecords] = { [] }
  /// The one instance that the report is about, if it is about one.
  var object: InstanceRecord?

  /// Returns the live recorded instances, the oldest first.
  ///
  /// - Parameter search: Finds their holders.
  func survivors(at now: Duration, _ search: inout HolderSearch) -> [LeakSurvivor] {
    living.map { record in
      var survivor = record.survivor(at: now)
      survivor.retainFinding = record.object.flatMap { search.find($0.sign) }
      return survivor
    }
  }

  private var living: [InstanceRecord] {
    let recorded = ([book] + others()).flatMap(\.living)
    guard let object else {
      return recorded.sorted {
        ($0.birth, TypeName.stable($0.type)) < ($1.birth, TypeName.stable($1.type))
      }
    }
    // As it was validated, or else as it was expected to be deallocated.
    let same = recorded.first { $0.object?.identifier == object.object?.identifier }
    return [same ?? object].filter(\.isAlive)
  }
}

// MARK: - Clock and names

/// A type-erased clock for records and grace periods; its time starts when it is created.
struct PollingClock: Sendable {
  /// The time since the clock was wrapped.
  let now: @Sendable () -> Duration

  /// Waits; throws if the task is cancelled.
  let sleep: @Sendable (Duration) async throws -> Void

  init(_ clock: some Clock<Duration>) {
    let origin = clock.now
    now = { origin.duration(to: clock.now) }
    sleep = { try await clock.sleep(for: $0) }
  }

  private init(
    now: @escaping @Sendable () -> Duration,
    sleep: @escaping @Sendable (Duration) async throws -> Void
  ) {
    self.now = now
    self.sleep = sleep
  }

  /// Returns the same clock with its origin now.
  func restarted() -> PollingClock {
    let origin = now()
    return PollingClock(now: { now() - origin }, sleep: sleep)
  }
}

/// The names of classes in reports.
package enum TypeName {
  /// The name alone.
  package static func short(_ type: AnyClass) -> String { String(describing: type) }

  /// The name with its module and outer types, without the address of the context that the name of
  /// a private or local type contains, which differs in every run.
  package static func stable(_ type: AnyClass) -> String {
    nameWithoutAddresses(String(reflecting: type))
  }
}
