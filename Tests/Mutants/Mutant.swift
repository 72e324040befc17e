/// A variant of our code in which one thing is broken, and the hunt that must find it.
package struct Mutant: Sendable {
  /// Whose promise is broken.
  package enum Part: String, CaseIterable, Sendable {
    /// The protocols', whatever the backend.
    case contract
    /// `EpochReclamation`'s.
    case reclamation
    /// A lock-free structure's.
    case structure
  }

  /// Unique, and on the command line.
  package let name: String
  package let part: Part
  /// What is broken, in one line.
  package let defect: String
  package let hunt: Hunt
  /// Why nothing can find it: another ordering makes up for the one that is missing. Nil for what must be
  /// found.
  package var equivalence: String?

  init(
    _ name: String, _ part: Part, _ defect: String, _ hunt: Hunt, equivalence: String? = nil
  ) {
    self.name = name
    self.part = part
    self.defect = defect
    self.hunt = hunt
    self.equivalence = equivalence
  }
}
