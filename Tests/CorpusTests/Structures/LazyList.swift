#if Interleaving
  import Interleaving

  // A set as a list with a lock for each node: S. Heller, M. Herlihy, V. Luchangco, M. Moir,
  // W. N. Scherer III and N. Shavit, "A Lazy Concurrent List-Based Set Algorithm", OPODIS 2005.
  //
  // The list is sorted, and has a node before all keys and one after them.
  //
  //  1. A change searches its place without a lock, and then locks the two nodes there.
  //  2. Under the locks it validates the place: neither node is removed, and the second one still
  //     follows the first. Otherwise it searches again.
  //  3. A removal marks the node before it unlinks it, so a search that has reached the node knows
  //     that it is removed.
  //
  // Every operation is sequentially consistent: the defect needs no weaker ordering.
  final class LazyList: ConcurrentSet {
    enum Defect: String {
      case noValidation = "a change does not validate its place under the locks"
    }

    private final class Node: Sendable {
      let key: Int
      let next: Atomic<Int>
      let isRemoved = Atomic(false)
      let lock = Mutex(())

      init(_ key: Int, next: Int) {
        self.key = key
        self.next = Atomic(next)
      }
    }

    /// Two adjacent nodes; the first one has a smaller key than the one searched.
    private struct Place {
      var previous: Node
      var current: Node
      var currentNumber: Int
    }

    private let defect: Defect?
    private let nodes = NodeTable<Node>()
    private let head: Node

    init(defect: Defect?) {
      self.defect = defect
      head = Node(.min, next: nodes.add(Node(.max, next: 0)))
    }

    private func search(_ key: Int) -> Place {
      var previous = head
      while true {
        let number = previous.next.load(ordering: .sequentiallyConsistent)
        let current = nodes[number]
        if current.key >= key {
          return Place(previous: previous, current: current, currentNumber: number)
        }
        previous = current
      }
    }

    private func isValid(_ place: Place) -> Bool {
      if defect == .noValidation { return true }
      return !place.previous.isRemoved.load(ordering: .sequentiallyConsistent)
        && !place.current.isRemoved.load(ordering: .sequentiallyConsistent)
        && place.previous.next.load(ordering: .sequentiallyConsistent) == place.currentNumber
    }

    /// Returns the result of `body` at the place of a key, under the locks of its nodes.
    private func change(_ key: Int, _ body: (Place) -> Bool) -> Bool {
      while true {
        let place = search(key)
        let result: Bool? = place.previous.lock.withLock { _ in
          place.current.lock.withLock { _ in isValid(place) ? body(place) : nil }
        }
        if let result { return result }
      }
    }

    func add(_ key: Int) -> Bool {
      change(key) { place in
        if place.current.key == key { return false }
        let number = nodes.add(Node(key, next: place.currentNumber))
        place.previous.next.store(number, ordering: .sequentiallyConsistent)
        return true
      }
    }

    func remove(_ key: Int) -> Bool {
      change(key) { place in
        guard place.current.key == key else { return false }
        place.current.isRemoved.store(true, ordering: .sequentiallyConsistent)
        let next = place.current.next.load(ordering: .sequentiallyConsistent)
        place.previous.next.store(next, ordering: .sequentiallyConsistent)
        return true
      }
    }

    func contains(_ key: Int) -> Bool {
      let current = search(key).current
      return current.key == key && !current.isRemoved.load(ordering: .sequentiallyConsistent)
    }
  }

  extension Specimen {
    static let lazyList = Specimen(
      "lazy list", paper: "Heller and others, OPODIS 2005", defect: LazyList.Defect.noValidation,
      CallProgram<SetCall<LazyList>>(
        model: [], before: [.add(1)], threads: [[.remove(1)], [.add(2)]], after: [.contains(2)]),
      drawing: (1...3).flatMap { [.add($0), .remove($0), .contains($0)] })
  }
#endif
