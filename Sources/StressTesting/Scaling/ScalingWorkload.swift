import WeakCollections

/// What every core does in a trial of scaling.
package enum ScalingWorkload: String, CaseIterable, Sendable {
  /// Dictionary: gets of random keys. Weak array: scans of all elements.
  case reads
  /// As `reads`, but one operation in twenty as in `writes`.
  case mixed
  /// Dictionary: three sets of random keys to one removal. Weak array: a core's own element is appended
  /// and removed again, which is one operation.
  case writes

  /// Of 20 operations, how many write.
  var writesOfTwenty: Int {
    switch self {
    case .reads: 0
    case .mixed: 1
    case .writes: 20
    }
  }

  /// How many operations one core does, so that all cores together do enough of them.
  func operationsPerCore(of cores: Int) -> Int {
    switch self {
    case .reads, .mixed: max(20, 2560 / cores)
    case .writes: max(2, 256 / cores)
    }
  }
}

/// What memory is for.
package enum MemoryKind: String, CaseIterable, Sendable {
  /// The collection and its nodes.
  case structure
  /// What the participants of a reclamation domain share: its epoch, its list, bags of retired nodes.
  case epochs
  /// The participants' records.
  case participants
}
