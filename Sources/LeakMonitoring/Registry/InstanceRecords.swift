import Primitives
import RuntimeInspection
import WeakCollections
import WeakReferences

#if canImport(ObjectiveC)
  import ObjectiveC
#endif

/// A weak reference that reports to any thread whether its object is alive.
///
/// `isAlive` promotes the reference, and so retains the object for the duration of the call, only
/// if the kind of weak slot offers no other test.
package final class LifeSign {
  private let slot: WeakSlot

  package init(_ object: AnyObject) {
    slot = WeakSlot(object)
  }

  /// Whether the object is alive; false once its `deinit` has begun.
  package var isAlive: Bool {
    // Releases a promoted object on return, so a `deinit` may run here.
    var promoted = PromotedObjects()
    return withUnsafePointer(to: slot) { !WeakSlot.isDead(at: $0, promoted: &promoted) }
  }

  /// Returns the object; nil once its `deinit` has begun.
  ///
  /// Release the result outside locks, and use it only to search for its holders.
  package func promote() -> AnyObject? { withUnsafePointer(to: slot, WeakSlot.promote) }

  /// Returns whether this refers to `object`, which the caller keeps alive.
  ///
  /// Safe under a lock: it releases only objects that the caller also holds.
  func refers(to object: AnyObject) -> Bool {
    let identity = ObjectIdentity(of: object)
    return withUnsafePointer(to: slot) { WeakSlot.refers(at: $0, to: identity) }
  }

  /// Returns whether this refers to `object`, even if `object` is in its `deinit`.
  ///
  /// The caller guarantees that the object of this reference has or had the address of `object`,
  /// and either keeps `object` alive or runs its `deinit`. Like `refers`, this is safe under a
  /// lock.
  ///
  /// The result may be true by mistake: once `object` is in its `deinit`, no weak reference refers
  /// to it any more, so an earlier object at the same address is indistinguishable from it. On
  /// Apple platforms this treats every Objective-C object as if it were in its `deinit`.
  func isThat(of object: AnyObject) -> Bool {
    refers(to: object) || Self.isDying(object)
  }

  private static func isDying(_ object: AnyObject) -> Bool {
    #if canImport(ObjectiveC)
      // The Objective-C runtime traps if a weak reference to an object is formed in its `deinit`.
      // Not `NSObjectProtocol`, to which the root class of pure Swift classes conforms too.
      if object is NSObject { return true }
    #endif
    return !LifeSign(object).isAlive
  }
}

// @unchecked: immutable; threads may read one slot concurrently, and nobody uses the object.
extension LifeSign: @unchecked Sendable {}

/// The record of a sampled instance.
struct InstanceRecord: Sendable {
  let type: AnyClass
  /// The time since the monitor was created.
  let birth: Duration
  let site: CallSite
  let backtrace: CreationBacktrace?
  /// Nil if the death of the instance removes the record, as for lifetime tokens.
  let object: (identifier: ObjectIdentifier, sign: LifeSign)?

  var isAlive: Bool { object?.sign.isAlive ?? true }

  func survivor(at now: Duration) -> LeakSurvivor {
    LeakSurvivor(
      typeName: TypeName.stable(type), description: TypeName.short(type),
      // Not below zero: another thread may have recorded the instance after `now`.
      age: max(.zero, now - birth),
      site: site, backtrace: backtrace)
  }
}

// MARK: - Records of a class

/// The sampled instances of one class, and the history of its live count.
///
/// The size is bounded: while 64 recorded instances are alive, further instances are not recorded.
/// A leak has many instances, and the oldest ones explain it best. While the records are full, one
/// in 64 further instances sweeps the records of dead objects, so the cost per instance stays O(1).
/// Code under the lock releases no object, and promotes only objects that the caller holds.
final class InstanceRecords: Sendable {
  static let capacity = 64
  static let historyCapacity = 16

  private struct State {
    /// Sorted by number, oldest first.
    var records: [(number: Int, record: InstanceRecord)] = []
    var added = 0
    var refused = 0
    var history: [CountSample] = []

    /// Returns the record's number, and the record that it replaces; the number is nil if there is
    /// no room, or if the live object already has a record.
    mutating func append(_ record: InstanceRecord) -> (Int?, InstanceRecord?) {
      let known = records.firstIndex {
        $0.record.object != nil && $0.record.object?.identifier == record.object?.identifier
      }
      // The caller holds the object. So a live object at its address is the same object, and
      // `isAlive` does not release the last reference to it.
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

    /// Inserts `sample` in the order of time, because concurrent samples may arrive out of order.
    mutating func note(_ sample: CountSample) {
      let place = (history.lastIndex { $0.time <= sample.time } ?? -1) + 1
      guard place == 0 || history[place - 1].liveCount != sample.liveCount else { return }
      history.insert(sample, at: place)
      if history.count > historyCapacity { history.remove(at: 1) }
    }
  }

  private let state = MutexLock(State())

  /// Returns whether there is room for a record, after a sweep if one is due.
  ///
  /// Call this before creating a record, which is expensive.
  func makeRoom() -> Bool {
    let (hasRoom, isSweepDue) = state.write { $0.room() }
    guard isSweepDue else { return hasRoom }
    removeDead()
    return state.read { $0.hasRoom }
  }

  /// Adds a record and returns its number; nil if there is no room or the live object has a record.
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

  /// The records of live instances, oldest first.
  var living: [InstanceRecord] {
    state.read { $0.records.map(\.record) }.filter(\.isAlive)
  }

  /// Adds `liveCount` to the history, unless the sample before it in time has the same count.
  ///
  /// A full history keeps the first sample and the latest ones.
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

/// The subject of a report: the source of the survivors and the history that the monitor adds.
struct LeakSubject: Sendable {
  /// The records of the class or group, with the history of its count.
  let book: InstanceRecords
  /// Returns the current records of a group's classes: classes may join the group during a check.
  var others: @Sendable () -> [InstanceRecords] = { [] }
  /// The instance that the report is about; nil if it is about a class or a group.
  var object: InstanceRecord?

  /// Returns the live recorded instances, oldest first, with the holders that `search` finds.
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
    // Prefers the record of the validation to that of the expectation, which has no backtrace.
    let same = recorded.first { $0.object?.identifier == object.object?.identifier }
    return [same ?? object].filter(\.isAlive)
  }
}

// MARK: - Clock and names

/// A type-erased clock for records and grace periods; its time is zero when it is created.
struct PollingClock: Sendable {
  /// Returns the time since this clock was created.
  let now: @Sendable () -> Duration

  /// Suspends for a duration; throws if the task is cancelled.
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

  /// Returns the same clock, restarted at zero.
  func restarted() -> PollingClock {
    let origin = now()
    return PollingClock(now: { now() - origin }, sleep: sleep)
  }
}

/// The names of classes in reports.
package enum TypeName {
  /// Returns the name without module and outer types, as in "Model".
  package static func short(_ type: AnyClass) -> String { String(describing: type) }

  /// Returns the name with its module and outer types, as in "App.Screen.Model".
  ///
  /// The name of a private or local type contains an address that differs in every run; this
  /// function omits the address.
  package static func stable(_ type: AnyClass) -> String {
    nameWithoutAddresses(String(reflecting: type))
  }
}
