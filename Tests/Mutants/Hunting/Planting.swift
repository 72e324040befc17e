import Interleaving
import Primitives

/// What makes the real code a mutant.
package enum Planting: Sendable, Hashable {
  case none
  case defect(Defect)
  /// An ordering in code that stays as it is.
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

  /// Selects the defect, or none; to be called where no other thread uses our code.
  func plant() {
    #if Mutants
      if case .defect(let defect) = self { Defect.plant(defect) } else { Defect.plant(nil) }
    #endif
  }
}
