#if Interleaving
  import Interleaving

  // A stack with elimination: D. Hendler, N. Shavit and L. Yerushalmi, "A Scalable Lock-free Stack
  // Algorithm", SPAA 2004. This one has a single place for elimination.
  //
  // A push and a pop that run at the same time can cancel each other without the stack. After a
  // failed attempt on the stack, a push offers its value, and a pop takes an offer.
  //
  //  1. Only a push that offered makes the place empty again. So an offer that is no longer there
  //     was taken.
  //  2. The push withdraws its offer by a compare-exchange. If that fails, a pop has the value, and
  //     the push is complete. If it succeeds, the push tries the stack again.
  //
  // Nodes are never reused. Every operation is sequentially consistent: the defect needs no weaker
  // ordering.
  final class EliminationStack: ConcurrentStack {
    enum Defect: String {
      case blindWithdrawal = "a push withdraws its offer without a look whether it was taken"
    }

    private struct Node: Sendable {
      var value: Int
      var next: Int
    }

    private let defect: Defect?
    private let nodes = NodeTable<Node>()
    private let top = Atomic(0)
    /// `empty`, `taken`, or the offered value, which is positive.
    private let place = Atomic(EliminationStack.empty)

    private static let empty = 0
    private static let taken = -1

    init(defect: Defect?) {
      self.defect = defect
    }

    func push(_ value: Int) {
      while true {
        let old = top.load(ordering: .sequentiallyConsistent)
        let node = nodes.add(Node(value: value, next: old))
        if change(top, from: old, to: node) || isOfferTaken(value) { return }
      }
    }

    func pop() -> Int? {
      while true {
        let old = top.load(ordering: .sequentiallyConsistent)
        if old == 0 { return nil }
        if change(top, from: old, to: nodes[old].next) { return nodes[old].value }
        if let value = takeOffer() { return value }
      }
    }

    private func isOfferTaken(_ value: Int) -> Bool {
      guard change(place, from: Self.empty, to: value) else { return false }
      // The paper waits here for a pop.
      if defect == .blindWithdrawal {
        place.store(Self.empty, ordering: .sequentiallyConsistent)
        return false
      }
      if change(place, from: value, to: Self.empty) { return false }
      place.store(Self.empty, ordering: .sequentiallyConsistent)
      return true
    }

    private func takeOffer() -> Int? {
      let offer = place.load(ordering: .sequentiallyConsistent)
      guard offer > 0, change(place, from: offer, to: Self.taken) else { return nil }
      return offer
    }

    private func change(_ word: borrowing Atomic<Int>, from old: Int, to new: Int) -> Bool {
      word.compareExchange(expected: old, desired: new, ordering: .sequentiallyConsistent).exchanged
    }
  }

  extension Specimen {
    static let eliminationStack = Specimen(
      "elimination stack", paper: "Hendler, Shavit and Yerushalmi, SPAA 2004",
      defect: EliminationStack.Defect.blindWithdrawal,
      CallProgram<StackCall<EliminationStack>>(
        model: [], before: [.push(1)], threads: [[.push(2)], [.pop], [.pop]], after: [.pop]),
      drawing: [.push(1), .push(2), .pop, .pop])
  }
#endif
