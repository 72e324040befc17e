import WeakCollections

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
