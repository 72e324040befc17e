#if Interleaving
  import Interleaving

  // A lock-free queue: M. M. Michael and M. L. Scott, "Simple, Fast, and Practical Non-Blocking and
  // Blocking Concurrent Queue Algorithms", PODC 1996.
  //
  // The queue is a list whose first node is a dummy. `head` is the dummy. `tail` is the last node,
  // or the one before it while an enqueue is between its two steps.
  //
  //  1. An enqueue links its node after the last one, and then advances `tail`.
  //  2. A thread that finds a node after `tail` advances `tail` for the other thread: it helps.
  //  3. So `head` never passes `tail`, and `tail` is never a node that was freed.
  //  4. Each link has a count of its changes, because freed nodes are used again.
  //
  // Every operation is sequentially consistent: the defect needs no weaker ordering.
  final class MichaelScottQueue: Structure {
    enum Defect: String {
      case noHelp = "a dequeue does not advance a tail that lags behind"
    }

    /// The number of a node, and the count of the changes of a link.
    private struct Link: Equatable {
      var word: Int

      private static let countUnit = 1 << 32

      var number: Int { word % Self.countUnit }
      /// The next link of the same variable.
      func changed(to number: Int) -> Link {
        Link(word: word - self.number + Self.countUnit + number)
      }
    }

    private final class Variable: Sendable {
      private let word = Atomic(0)

      var link: Link { Link(word: word.load(ordering: .sequentiallyConsistent)) }

      func set(to link: Link) {
        word.store(link.word, ordering: .sequentiallyConsistent)
      }

      func change(_ old: Link, to number: Int) -> Bool {
        word.compareExchange(
          expected: old.word, desired: old.changed(to: number).word,
          ordering: .sequentiallyConsistent
        ).exchanged
      }
    }

    private final class Node: Sendable {
      let value = Atomic(0)
      let next = Variable()
    }

    private let defect: Defect?
    private let head = Variable()
    private let tail = Variable()
    private let nodes = (0..<24).map { _ in Node() }
    private let freeList = FreeList()

    init(defect: Defect?) {
      self.defect = defect
      let dummy = Link(word: freeList.allocate())
      head.set(to: dummy)
      tail.set(to: dummy)
    }

    func enqueue(_ value: Int) {
      let number = freeList.allocate()
      nodes[number].value.store(value, ordering: .sequentiallyConsistent)
      nodes[number].next.set(to: nodes[number].next.link.changed(to: 0))
      while true {
        let last = tail.link
        let next = nodes[last.number].next.link
        guard last == tail.link else { continue }
        if next.number != 0 {
          _ = tail.change(last, to: next.number)
        } else if nodes[last.number].next.change(next, to: number) {
          _ = tail.change(last, to: number)
          return
        }
      }
    }

    func dequeue() -> Int? {
      while true {
        let (first, last) = (head.link, tail.link)
        let next = nodes[first.number].next.link
        guard first == head.link else { continue }
        if next.number == 0 { return nil }
        if first.number == last.number, defect != .noHelp {
          _ = tail.change(last, to: next.number)
          continue
        }
        let value = nodes[next.number].value.load(ordering: .sequentiallyConsistent)
        if head.change(first, to: next.number) {
          freeList.free(first.number)
          return value
        }
      }
    }
  }

  enum QueueCall: Call {
    case enqueue(Int)
    case dequeue

    func perform(on subject: MichaelScottQueue) -> Int? {
      switch self {
      case .enqueue(let value):
        subject.enqueue(value)
        return nil
      case .dequeue: return subject.dequeue()
      }
    }

    func apply(to model: inout [Int]) -> Int? {
      switch self {
      case .enqueue(let value):
        model.append(value)
        return nil
      case .dequeue: return model.isEmpty ? nil : model.removeFirst()
      }
    }
  }

  extension Specimen {
    static let michaelScottQueue = Specimen(
      "Michael–Scott queue", paper: "Michael and Scott, PODC 1996",
      defect: MichaelScottQueue.Defect.noHelp,
      CallProgram<QueueCall>(
        model: [], threads: [[.enqueue(1)], [.dequeue, .enqueue(2)]], after: [.dequeue, .dequeue]),
      drawing: [.enqueue(1), .enqueue(2), .dequeue, .dequeue])
  }
#endif
