#if Interleaving
  import Interleaving

  // A sequence lock: C. Lameter, "Effective Synchronization on Linux/NUMA Systems", Gelato
  // Conference 2005. The orderings are those of H.-J. Boehm, "Can Seqlocks Get Along with
  // Programming Language Memory Models?", MSPC 2012.
  //
  // The sequence is odd while a writer changes the value. A reader repeats its loads until it finds
  // the same even sequence before and after them.
  //
  //  1. A releasing fence keeps the writer's odd sequence before its stores of the value.
  //  2. The releasing store of the even sequence keeps it behind these stores.
  //  3. The acquiring load of the sequence keeps the reader's loads of the value behind it, and an
  //     acquiring fence keeps them before the second load of the sequence.
  final class SequenceLock: Structure {
    enum Defect: String {
      case noWriteFence = "a writer has no fence after the odd sequence"
      case noReadFence = "a reader has no fence before its second look at the sequence"
    }

    private let defect: Defect?
    private let sequence = Atomic(0)
    private let first = Atomic(0)
    private let second = Atomic(0)

    init(defect: Defect?) {
      self.defect = defect
    }

    /// Sets both halves of the value.
    func write(_ value: Int) {
      let old = beginWriting()
      if defect != .noWriteFence { atomicMemoryFence(ordering: .releasing) }
      first.store(value, ordering: .relaxed)
      second.store(value, ordering: .relaxed)
      sequence.store(old + 2, ordering: .releasing)
    }

    /// Makes the sequence odd; returns the even one.
    private func beginWriting() -> Int {
      while true {
        let old = sequence.load(ordering: .relaxed)
        // Acquiring: the previous writer's stores come before this one's.
        if old % 2 == 0,
          sequence.compareExchange(expected: old, desired: old + 1, ordering: .acquiring).exchanged
        {
          return old
        }
        spinHint()
      }
    }

    /// Returns both halves of the value.
    func read() -> [Int] {
      while true {
        let before = beginReading()
        let value = [first.load(ordering: .relaxed), second.load(ordering: .relaxed)]
        if defect != .noReadFence { atomicMemoryFence(ordering: .acquiring) }
        if sequence.load(ordering: .relaxed) == before { return value }
      }
    }

    /// Waits for an even sequence, and returns it.
    private func beginReading() -> Int {
      while true {
        let even = sequence.load(ordering: .acquiring)
        if even % 2 == 0 { return even }
        spinHint()
      }
    }
  }

  enum PairCall: Call {
    case write(Int)
    case read

    func perform(on subject: SequenceLock) -> [Int] {
      switch self {
      case .write(let value):
        subject.write(value)
        return []
      case .read: return subject.read()
      }
    }

    func apply(to model: inout Int) -> [Int] {
      switch self {
      case .write(let value):
        model = value
        return []
      case .read: return [model, model]
      }
    }
  }

  extension Specimen {
    static let sequenceLock = pairProgram(.noWriteFence, .storeBuffers)
    static let sequenceLockReader = pairProgram(.noReadFence, .reorderedLoads)

    private static func pairProgram(
      _ defect: SequenceLock.Defect, _ memory: MemoryModel
    ) -> Specimen {
      Specimen(
        "sequence lock", paper: "Lameter 2005; Boehm, MSPC 2012", defect: defect,
        memory: memory, CallProgram<PairCall>(model: 0, threads: [[.write(1)], [.read]]),
        drawing: [.write(1), .write(2), .read, .read])
    }
  }
#endif
