/// The live counts of all classes at one moment.
///
/// Compare two snapshots to see which classes grew in between:
///
/// ```swift
/// let before = MemoryLeakMonitor.snapshot()
/// openAndCloseScreen()
/// for change in MemoryLeakMonitor.snapshot().changes(since: before) {
///   print(change.typeName, change.before, change.after)
/// }
/// ```
public struct LifetimeSnapshot: Sendable {
  struct Entry: Sendable {
    let type: AnyClass
    /// The live count of each generation, as in `LifetimeCounter`; nil for a class without tokens.
    let generations: [Int: Int]?
    let count: Int
  }

  /// The lowest generation of instances created after this snapshot.
  let generation: Int
  let classes: [ObjectIdentifier: Entry]
  /// Identifies the monitor. The snapshot retains this object, so that no other monitor reuses its
  /// address.
  let source: Observations

  /// Returns the live count of exactly this class, without its subclasses; 0 for an unknown class.
  public func count(of type: AnyClass) -> Int {
    classes[ObjectIdentifier(type)]?.count ?? 0
  }

  /// Returns the changes since an earlier snapshot, sorted by class name.
  ///
  /// The result is exact if no instance was created or deallocated while either snapshot was made.
  ///
  /// - Parameter earlier: An older snapshot of the same monitor.
  /// - Returns: The classes whose live count changed, and those with live instances created after
  ///   `earlier`.
  /// - Precondition: Both snapshots belong to one monitor, and `earlier` is the older one.
  /// - Complexity: O(*n* log *n*) in the number of classes.
  public func changes(since earlier: LifetimeSnapshot) -> [LifetimeChange] {
    guard source === earlier.source else {
      fatalError("the two snapshots belong to different monitors; compare snapshots of one monitor")
    }
    guard generation >= earlier.generation else {
      fatalError(
        "snapshot \(earlier.generation) is newer than snapshot \(generation); "
          + "call changes(since:) on the newer one")
    }
    return Set(classes.keys).union(earlier.classes.keys)
      .compactMap { change(of: $0, since: earlier) }
      .sorted { $0.typeName < $1.typeName }
  }

  private func change(
    of identifier: ObjectIdentifier, since earlier: LifetimeSnapshot
  ) -> LifetimeChange? {
    let (new, old) = (classes[identifier], earlier.classes[identifier])
    guard let type = (new ?? old)?.type else { return nil }
    let (count, oldCount) = (new?.count ?? 0, old?.count ?? 0)
    let survived = new?.generations.map { generations in
      generations.reduce(0) { $0 + ($1.key < earlier.generation ? $1.value : 0) }
    }
    let change = LifetimeChange(
      typeName: TypeName.stable(type), before: oldCount, after: count,
      survived: survived.map { min($0, oldCount) })
    return change.before == change.after && (change.born ?? 0) == 0 ? nil : change
  }
}

/// The change of a class between two snapshots.
///
/// For a class without tokens, only the counts are known: `survived`, `born` and `died` are nil.
public struct LifetimeChange: Sendable, Equatable {
  /// The class with its module, as in "App.Session".
  public let typeName: String
  /// The live count at the earlier snapshot.
  public let before: Int
  /// The live count at the later snapshot.
  public let after: Int
  /// The number of instances alive at both snapshots; nil for a class without tokens.
  public let survived: Int?

  /// The number of instances created between the two snapshots and alive at the later one; nil for
  /// a class without tokens.
  public var born: Int? { survived.map { after - $0 } }

  /// The number of instances alive at the earlier snapshot and deallocated between the two; nil for
  /// a class without tokens.
  public var died: Int? { survived.map { before - $0 } }
}

extension MemoryLeakMonitor {
  /// Returns the current live counts of all classes.
  ///
  /// The count of a class with tokens is the number of its tokens, and otherwise the number of its
  /// validated instances.
  ///
  /// - Complexity: O(*n*) in the number of validated instances and of classes.
  public func snapshot() -> LifetimeSnapshot {
    let generation = observations.lifetimes.beginGeneration()
    var classes: [ObjectIdentifier: LifetimeSnapshot.Entry] = [:]
    for validated in registry.liveCounts() {
      classes[ObjectIdentifier(validated.type)] = LifetimeSnapshot.Entry(
        type: validated.type, generations: nil, count: validated.count)
    }
    for counter in observations.lifetimes.all {
      // Excludes instances created during the snapshot.
      let generations = counter.liveCounts.filter { $0.key < generation }
      classes[ObjectIdentifier(counter.type)] = LifetimeSnapshot.Entry(
        type: counter.type, generations: generations, count: generations.values.reduce(0, +))
    }
    return LifetimeSnapshot(
      generation: generation, classes: classes, source: observations)
  }

  /// Returns the current live counts of all classes from the current monitor.
  public static func snapshot() -> LifetimeSnapshot { current.snapshot() }
}
