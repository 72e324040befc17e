#if Interleaving
  import Interleaving

  // A lock-free set as a list: T. L. Harris, "A Pragmatic Implementation of Non-Blocking
  // Linked-Lists", DISC 2001. The search unlinks one node at a time, as in M. M. Michael, "High
  // Performance Dynamic Lock-Free Hash Tables and List-Based Sets", SPAA 2002.
  //
  // The list is sorted, and has a node before all keys and one after them.
  //
  //  1. A removal first marks the link *of* the node that it removes, and then unlinks the node.
  //  2. A marked link never changes. So no thread links a new node behind a removed one.
  //  3. A search unlinks the marked nodes on its way.
  //
  // Every operation is sequentially consistent: the defect needs no weaker ordering.
  final class HarrisList: ConcurrentSet {
    enum Defect: String {
      case noMark = "a removal unlinks the node without marking it"
    }

    /// The number of the next node, and whether the node with this link is removed.
    private struct Link {
      var next: Int
      var isMarked = false

      init(to next: Int) { self.next = next }

      init(word: Int) {
        next = word >> 1
        isMarked = word & 1 != 0
      }

      var word: Int { next << 1 | (isMarked ? 1 : 0) }

      var marked: Link {
        var copy = self
        copy.isMarked = true
        return copy
      }
    }

    private final class Node: Sendable {
      let key: Int
      private let word: Atomic<Int>

      init(_ key: Int, next: Int) {
        self.key = key
        word = Atomic(Link(to: next).word)
      }

      var link: Link { Link(word: word.load(ordering: .sequentiallyConsistent)) }

      func change(_ old: Link, to new: Link) -> Bool {
        word.compareExchange(
          expected: old.word, desired: new.word, ordering: .sequentiallyConsistent
        ).exchanged
      }
    }

    /// Two adjacent nodes; the first one has a smaller key than the one searched.
    private struct Place {
      var previous: Node
      var current: Node
      /// The link from the first node to the second.
      var link: Link
    }

    private let defect: Defect?
    private let nodes = NodeTable<Node>()
    private let head: Node

    init(defect: Defect?) {
      self.defect = defect
      head = Node(.min, next: nodes.add(Node(.max, next: 0)))
    }

    private func search(_ key: Int) -> Place {
      while true {
        if let place = attemptSearch(key) { return place }
      }
    }

    /// Returns the place of a key; nil if another thread changed the list on the way.
    private func attemptSearch(_ key: Int) -> Place? {
      var previous = head
      var link = head.link
      while true {
        let current = nodes[link.next]
        let next = current.link
        if next.isMarked {
          let rest = Link(to: next.next)
          guard previous.change(link, to: rest) else { return nil }
          link = rest
        } else if current.key >= key {
          return Place(previous: previous, current: current, link: link)
        } else {
          previous = current
          link = next
        }
      }
    }

    func add(_ key: Int) -> Bool {
      while true {
        let place = search(key)
        if place.current.key == key { return false }
        let number = nodes.add(Node(key, next: place.link.next))
        if place.previous.change(place.link, to: Link(to: number)) { return true }
      }
    }

    func remove(_ key: Int) -> Bool {
      while true {
        let place = search(key)
        guard place.current.key == key else { return false }
        let next = place.current.link
        if next.isMarked { continue }
        guard defect == .noMark || place.current.change(next, to: next.marked) else { continue }
        let isUnlinked = place.previous.change(place.link, to: next)
        // The mark has removed the key; if the node is still linked, a search unlinks it.
        if isUnlinked || defect != .noMark { return true }
      }
    }

    func contains(_ key: Int) -> Bool {
      var current = nodes[head.link.next]
      while current.key < key { current = nodes[current.link.next] }
      return current.key == key && !current.link.isMarked
    }
  }

  extension Specimen {
    static let harrisList = Specimen(
      "Harris list", paper: "Harris, DISC 2001", defect: HarrisList.Defect.noMark,
      CallProgram<SetCall<HarrisList>>(
        model: [], before: [.add(1)], threads: [[.remove(1)], [.add(2)]], after: [.contains(2)]),
      drawing: (1...3).flatMap { [.add($0), .remove($0), .contains($0)] })
  }
#endif
