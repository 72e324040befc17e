/// How many instances of each class lived when it was made, to be compared with a later one.
public struct LifetimeSnapshot: Sendable {
  struct Entry: Sendable {
    let type: AnyClass
    /// How many lived by generation, as `LifetimeCounter` has it; nil for a class without tokens.
    let generations: [Int: Int]?
    let count: Int
  }

  /// What is born after this snapshot has at least this generation.
  let generation: Int
  let classes: [ObjectIdentifier: Entry]
  /// The monitor's; held, so that no other comes to its address.
  let source: Observations

  /// How many instances of exactly this class lived.
  public func count(of type: AnyClass) -> Int {
    classes[ObjectIdentifier(type)]?.count ?? 0
  }

  /// What changed since `earlier`, by the classes' names; classes without a change are left out.
  ///
  /// Exact if nothing was born and nothing died while the snapshots were made. Traps unless both are of one
  /// monitor, and `earlier` was made before.
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

/// What became of the instances of a class between two snapshots.
///
/// Who is who is known by their tokens; without, only how many there were.
public struct LifetimeChange: Sendable, Equatable {
  /// The class with its module, as in "App.Session".
  public let typeName: String
  /// How many lived at the earlier snapshot.
  public let before: Int
  /// How many lived at the later one.
  public let after: Int
  /// How many lived at both.
  public let survived: Int?

  /// How many lived at the later one and were born between them.
  public var born: Int? { survived.map { after - $0 } }

  /// How many lived at the earlier one and died between them.
  public var died: Int? { survived.map { before - $0 } }
}

extension MemoryLeakMonitor {
  /// How many instances of each class live now: of those that have tokens, else of those validated.
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
      // Of what is born meanwhile nothing.
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
