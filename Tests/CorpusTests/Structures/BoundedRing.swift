#if Interleaving
  import Interleaving

  // A bounded queue for many producers and consumers: D. Vyukov, "Bounded MPMC queue",
  // 1024cores.net, 2010.
  //
  // The queue is a ring of cells. A position is an index that is not reduced to the ring, so it
  // distinguishes the laps.
  //
  //  1. The sequence of a cell is the position of the enqueue that may fill it; plus 1 when it is
  //     full. A dequeue sets it to the position of the next lap.
  //  2. A compare-exchange of `tail` or `head` claims a position, and only if the sequence fits.
  //
  // An enqueue fails if the queue is full, and also while a dequeue has claimed the cell and not
  // yet emptied it; a dequeue likewise. So both may fail at any time, and the queue is no
  // linearizable queue with a capacity.
  //
  // Every operation is sequentially consistent: the defect needs no weaker ordering.
  final class BoundedRing: Structure {
    enum Defect: String {
      case noLap = "the sequence of a cell is only whether it is full, without the lap"
    }

    private final class Cell: Sendable {
      let sequence: Atomic<Int>
      let value = Atomic(0)

      init(sequence: Int) { self.sequence = Atomic(sequence) }
    }

    private let defect: Defect?
    private let cells: [Cell]
    private let head = Atomic(0)
    private let tail = Atomic(0)

    static let capacity = 2

    init(defect: Defect?) {
      self.defect = defect
      cells = (0..<Self.capacity).map { Cell(sequence: defect == .noLap ? 0 : $0) }
    }

    /// The sequence of an empty cell that the enqueue at this position may fill.
    private func sequence(at position: Int) -> Int { defect == .noLap ? 0 : position }

    /// Adds a value; returns false if there is no empty cell.
    func enqueue(_ value: Int) -> Bool {
      guard let position = claim(tail, where: sequence(at:)) else { return false }
      let cell = cells[position % Self.capacity]
      cell.value.store(value, ordering: .sequentiallyConsistent)
      cell.sequence.store(sequence(at: position) + 1, ordering: .sequentiallyConsistent)
      return true
    }

    /// Removes the oldest value; returns nil if there is no full cell.
    func dequeue() -> Int? {
      guard let position = claim(head, where: { sequence(at: $0) + 1 }) else { return nil }
      let cell = cells[position % Self.capacity]
      let value = cell.value.load(ordering: .sequentiallyConsistent)
      let nextLap = sequence(at: position + Self.capacity)
      cell.sequence.store(nextLap, ordering: .sequentiallyConsistent)
      return value
    }

    /// Claims a position whose cell has the required sequence; returns nil if its cell has not.
    private func claim(
      _ end: borrowing Atomic<Int>, where required: (Int) -> Int
    ) -> Int? {
      var position = end.load(ordering: .sequentiallyConsistent)
      while true {
        let sequence = cells[position % Self.capacity].sequence.load(
          ordering: .sequentiallyConsistent)
        if sequence == required(position) {
          let (exchanged, current) = end.compareExchange(
            expected: position, desired: position + 1, ordering: .sequentiallyConsistent)
          if exchanged { return position }
          position = current
        } else {
          let current = end.load(ordering: .sequentiallyConsistent)
          if current == position { return nil }
          position = current
        }
      }
    }
  }

  enum RingCall: Call {
    case enqueue(Int)
    case dequeue

    /// Returns the value that was added or removed; nil if the call failed.
    func perform(on subject: BoundedRing) -> Int? {
      switch self {
      case .enqueue(let value): subject.enqueue(value) ? value : nil
      case .dequeue: subject.dequeue()
      }
    }

    func apply(to model: inout [Int]) -> Int? {
      switch self {
      case .enqueue(let value):
        if model.count == BoundedRing.capacity { return nil }
        model.append(value)
        return value
      case .dequeue: return model.isEmpty ? nil : model.removeFirst()
      }
    }

    func explains(_ answer: Int?, on model: inout [Int]) -> Bool {
      // Both calls may fail at any time.
      answer == nil || apply(to: &model) == answer
    }
  }

  extension Specimen {
    static let boundedRing = Specimen(
      "bounded ring", paper: "Vyukov, 1024cores.net, 2010", defect: BoundedRing.Defect.noLap,
      CallProgram<RingCall>(
        model: [], threads: [[.enqueue(1)], [.enqueue(2), .enqueue(3)]],
        after: [.dequeue, .dequeue, .dequeue]),
      // A model of `stress` has one answer for each call. Without dequeues the ring has, too.
      drawing: [.enqueue(1), .enqueue(2)])
  }
#endif
