import StressTesting

/// All mutants: what the stress harness must find, so that it is known to find anything.
package enum Zoo: SubjectCatalog {
  // Made anew each time: a constant would hold its parts by tagged pointers, which no leak detector follows.
  private static var all: [Mutant] {
    ContractMutants.all + ReclamationMutants.all + StructureMutants.all + WeakTableMutants.all
      + AdaptiveLockMutants.all + BucketLockMutants.all
  }

  package static var mutants: [Mutant] { all.filter { $0.equivalence == nil } }

  /// Weakened orderings that break nothing.
  package static var equivalents: [Mutant] { all.filter { $0.equivalence != nil } }

  /// Those that are collections, by the names that `weakbench stress --backend` takes.
  package static var subjects: [Subject] {
    all.compactMap { mutant in
      switch mutant.hunt {
      case .stress(let subject, _, _), .scenario(let subject, _, _): subject
      case .reclamation, .interning: nil
      }
    }
  }

  /// The hunts for `mutants` through the code that they were made from, each ground once.
  package static func originals(of mutants: [Mutant]) -> [Hunt] {
    var grounds: Set<String> = []
    return mutants.map(\.hunt).filter { grounds.insert($0.ground).inserted }.map(\.ofOriginal)
  }
}
