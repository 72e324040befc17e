import WeakCollections

/// Which grids answer a question: those of the workload that it names or, if nobody measured that, those of
/// workloads that are nothing but a mix.
///
/// Looked up, not searched: a question would spend most of its time on passing grids by.
struct GridIndex: Hashable, Sendable {
  /// A measured workload: its grid's place, and its shares.
  struct Entry: Hashable, Sendable {
    let place: Int
    let shares: OperationShares
  }

  private struct Name: Hashable {
    let collection: CollectionKind
    let workload: String
  }

  private var mixes: [CollectionKind: [Entry]] = [:]
  private var named: [Name: [Entry]] = [:]

  init(of grids: [CostGrid]) {
    for (place, grid) in grids.enumerated() {
      let (workload, entry) = (grid.workload, Entry(place: place, shares: grid.shares))
      let name = Name(collection: workload.collection, workload: workload.workload)
      named[name, default: []].append(entry)
      if workload.isPureMix { mixes[workload.collection, default: []].append(entry) }
    }
  }

  /// The grids of the workload that `profile` names; nil if it names none, or none that was measured.
  func grids(namedBy profile: WorkloadProfile) -> [Entry]? {
    guard let workload = profile.workload else { return nil }
    return named[Name(collection: profile.collection, workload: workload)]
  }

  /// The grids of mixes.
  func mixes(of collection: CollectionKind) -> [Entry] { mixes[collection] ?? [] }
}
