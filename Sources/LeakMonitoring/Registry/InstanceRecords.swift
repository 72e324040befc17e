import Primitives
import RuntimeInspection
import WeakCollections
import WeakReferences

#if canImport(ObjectiveC)
  import ObjectiveC
#endif

/// What is known of an instance that was sampled.
struct InstanceRecord: Sendable {
  let type: AnyClass
  /// Since the monitor was made.
  let birth: Duration
  let site: CallSite
  let backtrace: CreationBacktrace?
  /// Nil if the record goes when its instance does.
  let object: (identifier: ObjectIdentifier, sign: LifeSign)?

  var isAlive: Bool { object?.sign.isAlive ?? true }

  func survivor(at now: Duration) -> LeakSurvivor {
    LeakSurvivor(
      typeName: TypeName.stable(type), description: TypeName.short(type),
      // It may have been recorded after `now`, on another thread.
      age: max(.zero, now - birth),
      site: site, backtrace: backtrace)
  }
}

/// Asks from any thread whether an object lives, without keeping it alive and without promoting it where
/// weak slots allow, unless it is asked for.
package final class LifeSign {
  private let slot: WeakSlot

  package init(_ object: AnyObject) {
    slot = WeakSlot(object)
  }

  /// False once the object's `deinit` has begun.
  package var isAlive: Bool {
    // What has to be promoted is let go on return, where a `deinit` may run.
    var promoted = PromotedObjects()
    return withUnsafePointer(to: slot) { !WeakSlot.isDead(at: $0, promoted: &promoted) }
  }

  /// The object, kept alive by the result; nil once its `deinit` has begun. To be released outside locks, and not to
  /// be used but to ask who holds it.
  func promote() -> AnyObject? { withUnsafePointer(to: slot, WeakSlot.promote) }
}

extension LifeSign {
  /// Whether it is that of `object`, which the caller keeps alive. May be asked under a lock: it releases
  /// nothing that the caller does not hold too.
  func refers(to object: AnyObject) -> Bool {
    let identity = ObjectIdentity(of: object)
    return withUnsafePointer(to: slot) { WeakSlot.refers(at: $0, to: identity) }
  }
}

extension LifeSign {
  /// Whether it is that of `object`, at whose address its own object is or was; the caller keeps `object` alive, or is
  /// in its `deinit`. May be asked under a lock, as `refers`.
  ///
  /// Where addresses are reused it may be that of a dead predecessor only if `object` is in its `deinit`: no
  /// weak reference refers to it any more. On Apple platforms an object of Objective-C is taken for being there.
  func isThat(of object: AnyObject) -> Bool {
    refers(to: object) || Self.isDying(object)
  }

  private static func isDying(_ object: AnyObject) -> Bool {
    #if canImport(ObjectiveC)
      // To form a weak reference in the `deinit` of one of these ends the program.
      if object is any NSObjectProtocol { return true }
    #endif
    return !LifeSign(object).isAlive
  }
}

// @unchecked: immutable, and many threads may ask one slot at once; nobody uses the object.
extension LifeSign: @unchecked Sendable {}

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

/// The records of all classes of which objects were validated.
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
    // Released outside the lock.
    _ = books.write { books in
      let old = books
      books = [:]
      return old
    }
  }
}

/// What a report is about, for the monitor to complete it.
struct LeakSubject: Sendable {
  /// The records of its class or group, with the history of the count.
  let book: InstanceRecords
  /// Those of a group's classes, as of when it is asked: classes come while a check waits.
  var others: @Sendable () -> [InstanceRecords] = { [] }
  /// The one instance that it is about, else nil.
  var object: InstanceRecord?

  /// The recorded instances that live, the oldest first.
  ///
  /// - Parameter search: finds their holders.
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
    // As it was validated, or else as it was expected to be gone.
    let same = recorded.first { $0.object?.identifier == object.object?.identifier }
    return [same ?? object].filter(\.isAlive)
  }
}

/// The names of classes in reports.
package enum TypeName {
  /// The name alone.
  package static func short(_ type: AnyClass) -> String { String(describing: type) }

  /// The name with its module and outer types. A private or local type's has in it the address of what
  /// surrounds it, which differs in every run; that is left out.
  package static func stable(_ type: AnyClass) -> String {
    nameWithoutAddresses(String(reflecting: type))
  }
}
