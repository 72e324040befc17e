/// The live counts of all classes at one moment, to compare with a later snapshot.
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
  /// Identifies the monitor; held, so that its address is not reused.
  let source: Observations

  /// Returns the live count of exactly this class.
  public func count(of type: AnyClass) -> Int {
    classes[ObjectIdentifier(type)]?.count ?? 0
  }

  /// Returns the changes since `earlier`, sorted by class name, without the classes that did not
  /// change.
  ///
  /// Exact if no instance was created or deallocated during the snapshots. Traps unless both
  /// snapshots are of one monitor and `earlier` is the older one.
  ///
  /// - Complexity: O(*n* log *n*) in the classes.
  public func changes(since earlier: LifetimeSnapshot) -> [LifetimeChange] {
    precondition(
      source === earlier.source && generation >= earlier.generation,
      "expected an earlier snapshot of the same monitor")
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
/// Tokens identify the instances; without tokens only the counts are known.
public struct LifetimeChange: Sendable, Equatable {
  /// The class with its module, as in "App.Session".
  public let typeName: String
  /// The live count at the earlier snapshot.
  public let before: Int
  /// The live count at the later snapshot.
  public let after: Int
  /// The number of instances alive at both.
  public let survived: Int?

  /// The number of instances alive at the later snapshot and created between the two.
  public var born: Int? { survived.map { after - $0 } }

  /// The number of instances alive at the earlier snapshot and deallocated between the two.
  public var died: Int? { survived.map { before - $0 } }
}

extension MemoryLeakMonitor {
  /// Returns the live counts of all classes: of instances with tokens, or else of validated
  /// instances.
  ///
  /// - Complexity: O(*n*) in the validated instances and in the classes.
  public func snapshot() -> LifetimeSnapshot {
    let generation = observations.lifetimes.beginGeneration()
    var classes: [ObjectIdentifier: LifetimeSnapshot.Entry] = [:]
    for validated in ledger.liveCounts() {
      classes[ObjectIdentifier(validated.type)] = LifetimeSnapshot.Entry(
        type: validated.type, generations: nil, count: validated.count)
    }
    for counter in observations.lifetimes.all {
      // Without the instances created during the snapshot.
      let generations = counter.liveCounts.filter { $0.key < generation }
      classes[ObjectIdentifier(counter.type)] = LifetimeSnapshot.Entry(
        type: counter.type, generations: generations, count: generations.values.reduce(0, +))
    }
    return LifetimeSnapshot(
      generation: generation, classes: classes, source: observations)
  }

  /// `snapshot` of the current monitor.
  public static func snapshot() -> LifetimeSnapshot { current.snapshot() }
}
