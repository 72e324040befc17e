import Linearizability

/// What is done to one object of a weak set.
struct MemberOperation: Hashable, Sendable {
  enum Kind: Hashable, Sendable {
    case join
    case contains
    case remove
    /// `removeAll`, as far as it concerns this object.
    case clear
    /// The object's death; see `TrackedWeakArrayModel`.
    case die
  }

  var kind: Kind
  var object: Int
}

/// A weak set, object by object: whether it is there, and lives.
///
/// - insert → whether it was not there; contains, remove → whether it was.
/// - A snapshot asks for each object at some moment of its call, and `removeAll` removes each at some
///   moment of its call; not all at the same.
struct TrackedWeakSetModel: DeterministicModel {
  typealias State = Bool
  typealias Input = MemberOperation
  typealias Output = Bool

  var initialState: Bool { false }

  func partition(of input: MemberOperation) -> Int { input.object }

  func apply(_ input: MemberOperation, to isThere: inout Bool, returning output: Bool?) -> Bool {
    let wasThere = isThere
    switch input.kind {
    case .join:
      isThere = true
      return output.map { $0 == !wasThere } ?? true
    case .contains:
      return output.map { $0 == wasThere } ?? true
    case .remove:
      isThere = false
      return output.map { $0 == wasThere } ?? true
    case .clear, .die:
      isThere = false
      return true
    }
  }
}
