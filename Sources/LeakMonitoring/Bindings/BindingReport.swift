/// All bindings until now and what became of them, without those of long-lived view models.
public struct BindingReport: Sendable, Equatable {
  /// How many bindings there are of which the same can be said.
  public var counts: [BindingRecord: Int]

  public init(_ counts: [BindingRecord: Int] = [:]) {
    self.counts = counts
  }

  /// How many there are in a state.
  public func count(_ state: BindingState) -> Int {
    counts.reduce(0) { $1.key.state == state ? $0 + $1.value : $0 }
  }

  /// What is bound, or lives on after its unbinding, as text has it first.
  public var unreleased: [BindingRecord] { sorted.filter { $0.isUnreleased } }

  /// What was bound while it was bound.
  public var doublyBound: [BindingRecord] { sorted.filter(\.isDoublyBound) }

  /// Lines for people: what was not released, then mistakes, then what was released.
  public var text: String {
    sorted.map { record in
      let count = counts[record] ?? 0
      return (count == 1 ? "" : "\(count) times ") + record.description
    }.joined(separator: "\n")
  }

  /// As text has them.
  var sorted: [BindingRecord] {
    counts.keys.sorted { $0.order.lexicographicallyPrecedes($1.order) }
  }
}

extension BindingRecord {
  fileprivate var isUnreleased: Bool { state == .bound || state == .surviving }

  fileprivate var order: [String] {
    ["\(BindingState.allCases.firstIndex(of: state)!)", description]
  }
}
