#if Interleaving
  import Interleaving

  // A work-stealing deque: D. Chase and Y. Lev, "Dynamic Circular Work-Stealing Deque", SPAA 2005.
  // The orderings are those of N. M. Lê, A. Pop, A. Cohen and F. Zappa Nardelli, "Correct and
  // Efficient Work-Stealing for Weak Memory Models", PPoPP 2013. The array has a fixed size.
  //
  // The owner pushes and takes at the bottom; any thread steals at the top.
  //
  //  1. The elements from `top` to `bottom` - 1 are in the deque.
  //  2. The owner reserves the last element by its store to `bottom`, and then looks at `top`. A
  //     thief looks at `top` and then at `bottom`. Sequentially consistent fences order both pairs:
  //     the owner sees the thief, or the thief sees the reservation.
  //  3. If one element is left, a compare-exchange of `top` decides between owner and thief.
  final class ChaseLevDeque: Structure {
    enum Defect: String {
      case relaxedFence = "the fence of a take is acquiring and releasing"
    }

    private let defect: Defect?
    private let top = Atomic(0)
    private let bottom = Atomic(0)
    private let elements = (0..<8).map { _ in Element() }

    private final class Element: Sendable {
      let value = Atomic(0)
    }

    init(defect: Defect?) {
      self.defect = defect
    }

    private func element(at index: Int) -> Element { elements[index % elements.count] }

    /// Adds an element. Only the owner calls it, with at most eight elements in the deque.
    func push(_ value: Int) {
      // Relaxed: only the owner stores to `bottom`.
      let index = bottom.load(ordering: .relaxed)
      element(at: index).value.store(value, ordering: .relaxed)
      // Publishes the element; pairs with the acquiring load of `bottom` in `steal`.
      atomicMemoryFence(ordering: .releasing)
      bottom.store(index + 1, ordering: .relaxed)
    }

    /// Removes the newest element. Only the owner calls it.
    func take() -> Int? {
      let index = bottom.load(ordering: .relaxed) - 1
      bottom.store(index, ordering: .relaxed)
      // Pairs with the fence in `steal`: invariant 2.
      atomicMemoryFence(
        ordering: defect == .relaxedFence ? .acquiringAndReleasing : .sequentiallyConsistent)
      let first = top.load(ordering: .relaxed)
      if first < index { return element(at: index).value.load(ordering: .relaxed) }
      // Empty, or one element: then `top` passes it, whether the owner or a thief gets it.
      defer { bottom.store(index + 1, ordering: .relaxed) }
      guard first == index, advanceTop(from: first) else { return nil }
      return element(at: index).value.load(ordering: .relaxed)
    }

    /// Removes the oldest element.
    func steal() -> Int? {
      while true {
        let first = top.load(ordering: .acquiring)
        // Pairs with the fence in `take`: invariant 2.
        atomicMemoryFence(ordering: .sequentiallyConsistent)
        guard first < bottom.load(ordering: .acquiring) else { return nil }
        // Relaxed: the fence in `push` orders it. The value counts only if no thread has advanced
        // `top`.
        let value = element(at: first).value.load(ordering: .relaxed)
        if advanceTop(from: first) { return value }
      }
    }

    private func advanceTop(from first: Int) -> Bool {
      top.compareExchange(
        expected: first, desired: first + 1, successOrdering: .sequentiallyConsistent,
        failureOrdering: .relaxed
      ).exchanged
    }
  }

  enum DequeCall: Call {
    case push(Int)
    case take
    case steal

    var isOwners: Bool { self != .steal }

    func perform(on subject: ChaseLevDeque) -> Int? {
      switch self {
      case .push(let value):
        subject.push(value)
        return nil
      case .take: return subject.take()
      case .steal: return subject.steal()
      }
    }

    func apply(to model: inout [Int]) -> Int? {
      switch self {
      case .push(let value):
        model.append(value)
        return nil
      case .take: return model.popLast()
      case .steal: return model.isEmpty ? nil : model.removeFirst()
      }
    }
  }

  extension Specimen {
    static let chaseLevDeque = Specimen(
      "Chase–Lev deque", paper: "Chase and Lev, SPAA 2005; Lê and others, PPoPP 2013",
      defect: ChaseLevDeque.Defect.relaxedFence, memory: .storeBuffers,
      CallProgram<DequeCall>(
        model: [], before: [.push(1), .push(2)], threads: [[.take], [.steal, .steal]],
        after: [.take]),
      drawing: [.push(1), .push(2), .take, .take, .steal])
  }
#endif
