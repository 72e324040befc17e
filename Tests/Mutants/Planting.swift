import Interleaving
import Primitives

/// What makes code a mutant.
package enum Planting: Sendable, Hashable {
  /// The subject itself is the mutant.
  case none
  /// A defect in the real code.
  case defect(Defect)
  /// An ordering in the real code, which stays as it is.
  case weakening(Weakening)

  /// Every atomic operation of a function, or those of one kind, with another ordering.
  static func weakening(
    _ file: String, _ function: String, _ kind: Step.Kind? = nil, to ordering: Ordering
  ) -> Planting {
    .weakening(Weakening(file: file, function: function, kind: kind, ordering: ordering))
  }

  var weakenings: [Weakening] {
    if case .weakening(let weakening) = self { [weakening] } else { [] }
  }

  #if Mutants
    /// Runs `body` with the defect in the code.
    func planted<R>(_ body: () throws -> R) rethrows -> R {
      guard case .defect(let defect) = self else { return try body() }
      Defect.plant(defect)
      defer { Defect.plant(nil) }
      return try body()
    }
  #endif
}
