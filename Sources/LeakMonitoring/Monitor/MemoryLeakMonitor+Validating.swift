import WeakCollections

/// An object whose class says how many of its instances may live at once.
///
/// ```swift
/// final class Session: MemoryLeakMonitorable {
///   init() { MemoryLeakMonitor.validate(self) }
/// }
/// ```
///
/// Both requirements are read inside `validate` and nowhere else, in the isolation of whoever calls it: an
/// actor's own are `nonisolated`. A subclass can override only what its base class declares: a base class
/// whose subclasses shall have their own `max` declares `var max: Int { 1 }` itself.
public protocol MemoryLeakMonitorable: AnyObject {
  /// How many instances of exactly this class may live at once; 1 by default.
  var max: Int { get }

  /// What reports call the instance; the class's name by default. Instances are counted by class, whatever
  /// this says.
  var description: String { get }
}

extension MemoryLeakMonitorable {
  public var max: Int { 1 }

  public var description: String { TypeName.short(type(of: self as AnyObject)) }
}

extension MemoryLeakMonitor {
  /// Counts `object` and reports if more instances of its class live than its `max` allows.
  ///
  /// To be called from an initialiser, when all stored properties are set; from those of a base class and a
  /// subclass both, an object still counts once. Of threads that add instances at once, while no validated
  /// one of the class is dead or dies, exactly those report at once that found too many; never does one report
  /// fewer than `max` and one. `max`, `description` and the reporter run outside every exclusion.
  ///
  /// With a grace period too many are reported once, in a task, if during all of the period there were too
  /// many whenever it was looked: at least 20 times, and from the beginning after the process has stood
  /// still for over a second, as in a debugger. If there are too many no more after that, it is reported
  /// as `.late`. One check a class is undecided at a time: until it is, validations that find too many rely
  /// on it, whatever grace they ask for, and its report has the place of the one that began it. Without a `grace`
  /// here, `policy` says what it is.
  ///
  /// - Complexity: O(1) while the class has no more entries than `max`, else O(*n*) in its entries.
  public func validate<Object: MemoryLeakMonitorable>(
    _ object: Object, grace: Duration? = nil, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) {
    guard Self.isEnabled else { return }
    let max = object.max
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    let liveCount = observations.validating(object, at: site) { ledger.add(object, max) }
    guard let liveCount else { return }
    noteExcess(
      of: object, describedAs: object.description, liveCount: liveCount, max: max, grace: grace,
      site: site)
  }

  /// Counts `object`, of any class or actor, and reports if more than `max` instances of its class live.
  ///
  /// For classes that do not conform to `MemoryLeakMonitorable`, such as those of other modules, from
  /// where they are made. Otherwise as `validate` of a conforming object, and counted together with it.
  public func validate(
    _ object: AnyObject, max: Int, grace: Duration? = nil, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) {
    guard Self.isEnabled else { return }
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    let liveCount = observations.validating(object, at: site) { ledger.add(object, max) }
    guard let liveCount else { return }
    noteExcess(
      of: object, describedAs: TypeName.short(type(of: object)), liveCount: liveCount, max: max,
      grace: grace, site: site)
  }

  private func noteExcess(
    of object: AnyObject, describedAs description: String, liveCount: Int, max: Int,
    grace: Duration?, site: CallSite
  ) {
    let grace = grace ?? policy.grace
    let type: AnyClass = Swift.type(of: object)
    var report = LeakReport(
      finding: .excess(after: grace), typeName: TypeName.stable(type), description: description,
      liveCount: liveCount, max: max, site: site)
    report.subject = LeakSubject(book: observations.book(of: type))
    noteExcess(
      report, of: ObjectIdentifier(type), suspicions: suspicions, grace: grace,
      count: ledger.liveCount)
  }

  /// Reports at once, or begins a check.
  ///
  /// - Parameters:
  ///   - type: the class, or what else is counted.
  ///   - suspicions: those of what is counted so.
  ///   - count: how many live.
  func noteExcess(
    _ report: LeakReport, of type: ObjectIdentifier, suspicions: Suspicions, grace: Duration?,
    count: @escaping @Sendable (ObjectIdentifier) -> Int
  ) {
    guard let grace else {
      let longLived = exemptions.longLivedCount(of: type)
      observations.tell(
        exemptions.judge(report, of: type, longLived: longLived), to: reporter)
      return
    }
    let suspicion = suspicions.begin(of: type, liveCount: report.liveCount, max: report.max)
    guard let suspicion else { return }
    let check = ExcessCheck(
      count: count, suspicions: suspicions, exemptions: exemptions, type: type,
      suspicion: suspicion, report: report)
    checks.begin(check, grace: grace)
  }
}

extension MemoryLeakMonitor {
  /// `validate` of the current monitor.
  public static func validate<Object: MemoryLeakMonitorable>(
    _ object: Object, grace: Duration? = nil, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) {
    guard isEnabled else { return }
    current.validate(
      object, grace: grace, fileID: fileID, filePath: filePath, line: line, column: column)
  }

  /// `validate` of the current monitor.
  public static func validate(
    _ object: AnyObject, max: Int, grace: Duration? = nil, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) {
    guard isEnabled else { return }
    current.validate(
      object, max: max, grace: grace, fileID: fileID, filePath: filePath, line: line,
      column: column)
  }
}

extension MemoryLeakMonitor {
  /// Allows `count` leaked instances of a class that is known to leak: that many more than its `max`, and
  /// that many survivors, are reported as `.allowed`, which `.standard` keeps to itself. 0 takes it back.
  ///
  /// The class's `max` says what is right; an allowance what is wrong and known.
  public func allowLeaks(of type: AnyClass, upTo count: Int) {
    exemptions.allow(count, of: ObjectIdentifier(type))
  }

  /// Marks an object that shall live as long as the program: it does not count against its class's `max`,
  /// and is reported as `.longLived`, which `.standard` keeps to itself, where it would be as a leak.
  ///
  /// - Complexity: O(1) amortised.
  public func markLongLived(_ object: AnyObject) {
    guard Self.isEnabled else { return }
    // Entered as if validated, so that it can be taken from the count.
    _ = ledger.add(object, .max)
    exemptions.markLongLived(object)
  }

  /// Whether an object was marked as long-lived.
  package func isLongLived(_ object: AnyObject) -> Bool { exemptions.isLongLived(object) }

  /// `allowLeaks` of the current monitor.
  public static func allowLeaks(of type: AnyClass, upTo count: Int) {
    current.allowLeaks(of: type, upTo: count)
  }

  /// `markLongLived` of the current monitor.
  public static func markLongLived(_ object: AnyObject) {
    current.markLongLived(object)
  }
}

/// What is no leak though it looks like one.
final class Exemptions: Sendable {
  private let longLived: Ledger
  private let allowances: MutexLock<[ObjectIdentifier: Int]>
  /// How many survivors of a class are alive as allowed.
  private let survivors = MutexLock<[ObjectIdentifier: Int]>([:])

  convenience init(_ backend: Backend) {
    self.init(backend, allowances: [:])
  }

  private init(_ backend: Backend, allowances: [ObjectIdentifier: Int]) {
    longLived = Ledger(backend)
    self.allowances = MutexLock(allowances)
  }

  /// The same for classes, and none for objects.
  func withoutObjects(_ backend: Backend) -> Exemptions {
    Exemptions(backend, allowances: allowances.read { copy $0 })
  }

  func allow(_ count: Int, of type: ObjectIdentifier) {
    allowances.write { $0[type] = count }
  }

  func markLongLived(_ object: AnyObject) {
    _ = longLived.add(object, .max)
  }

  func isLongLived(_ object: AnyObject) -> Bool {
    longLived.contains(object)
  }

  func remove(_ object: AnyObject) {
    longLived.remove(object)
  }

  func removeObjects() {
    longLived.removeAll()
  }

  /// How many instances of exactly this class live and are long-lived.
  func longLivedCount(of type: ObjectIdentifier) -> Int {
    longLived.liveCount(type)
  }

  /// `found`, which says that there are too many, `longLived` of them long-lived, with its state.
  func judge(_ found: LeakReport, of type: ObjectIdentifier, longLived: Int) -> LeakReport {
    var report = found
    let excess = found.liveCount - found.max
    if excess <= longLived {
      report.state = .longLived
    } else if excess - longLived <= allowance(of: type) {
      report.state = .allowed
    }
    return report
  }

  /// Whether one more survivor of a class is allowed, which is then so until `release`.
  func allowSurvivor(of type: ObjectIdentifier) -> Bool {
    let allowance = allowance(of: type)
    return survivors.write { survivors in
      guard survivors[type, default: 0] < allowance else { return false }
      survivors[type, default: 0] += 1
      return true
    }
  }

  func releaseSurvivor(of type: ObjectIdentifier) {
    survivors.write { $0[type, default: 0] -= 1 }
  }

  private func allowance(of type: ObjectIdentifier) -> Int {
    allowances.read { $0[type] ?? 0 }
  }
}
