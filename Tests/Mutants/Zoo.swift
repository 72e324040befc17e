import StressTesting

/// All mutants: what the stress harness must find, so that it is known to find anything.
package enum Zoo: SubjectCatalog {
  package static let mutants =
    ContractMutants.all + ReclamationMutants.all + StructureMutants.all

  /// Those that are collections, by the names that `weakbench stress --backend` takes.
  package static var subjects: [Subject] {
    mutants.compactMap { mutant in
      switch mutant.hunt {
      case .stress(let subject, _, _), .scenario(let subject, _, _): subject
      case .reclamation: nil
      }
    }
  }

  /// The mutants' hunts through the code that they were made from, each ground once.
  package static var originals: [Mutant] {
    var grounds: Set<String> = []
    return mutants.filter { grounds.insert($0.hunt.ground).inserted }.map { mutant in
      Mutant(
        mutant.hunt.ground, mutant.part, "nothing", mutant.hunt.ofOriginal)
    }
  }
}
