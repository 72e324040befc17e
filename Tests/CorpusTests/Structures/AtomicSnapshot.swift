#if Interleaving
  import Interleaving

  // A snapshot of several registers: Y. Afek, H. Attiya, D. Dolev, E. Gafni, M. Merritt and
  // N. Shavit, "Atomic Snapshots of Shared Memory", Journal of the ACM 40(4), 1993. This is the
  // double collect of its first observation, without the embedded scans that bound the number of
  // repetitions.
  //
  //  1. Each register has a count of its changes beside its value.
  //  2. A snapshot collects all registers until two collects in a row are equal. Then no register
  //     changed between them, and all had these values at the end of the first collect.
  //
  // Every operation is sequentially consistent: the defect needs no weaker ordering.
  final class AtomicSnapshot: Structure {
    enum Defect: String {
      case singleCollect = "a snapshot reads each register once"
    }

    private final class Register: Sendable {
      /// The value in the lower half, the count in the upper half.
      let word = Atomic(0)
    }

    private static let countUnit = 1 << 32

    private let defect: Defect?
    private let registers = [Register(), Register()]

    init(defect: Defect?) {
      self.defect = defect
    }

    func set(_ index: Int, to value: Int) {
      let register = registers[index]
      while true {
        let old = register.word.load(ordering: .sequentiallyConsistent)
        let new = (old / Self.countUnit + 1) * Self.countUnit + value
        if register.word.compareExchange(
          expected: old, desired: new, ordering: .sequentiallyConsistent
        ).exchanged {
          return
        }
      }
    }

    private func collect() -> [Int] {
      registers.map { $0.word.load(ordering: .sequentiallyConsistent) }
    }

    func values() -> [Int] {
      var last = collect()
      while defect != .singleCollect {
        let next = collect()
        if next == last { break }
        last = next
      }
      return last.map { $0 % Self.countUnit }
    }
  }

  enum SnapshotCall: Call {
    case set(Int, to: Int)
    case values

    func perform(on subject: AtomicSnapshot) -> [Int] {
      switch self {
      case .set(let register, let value):
        subject.set(register, to: value)
        return []
      case .values: return subject.values()
      }
    }

    func apply(to model: inout [Int]) -> [Int] {
      switch self {
      case .set(let register, let value):
        model[register] = value
        return []
      case .values: return model
      }
    }
  }

  extension Specimen {
    static let atomicSnapshot = Specimen(
      "atomic snapshot", paper: "Afek and others, JACM 1993",
      defect: AtomicSnapshot.Defect.singleCollect,
      CallProgram<SnapshotCall>(
        model: [0, 0], threads: [[.set(0, to: 1), .set(1, to: 1)], [.values]]),
      drawing: [.set(0, to: 1), .set(0, to: 2), .set(1, to: 1), .set(1, to: 2), .values, .values])
  }
#endif
