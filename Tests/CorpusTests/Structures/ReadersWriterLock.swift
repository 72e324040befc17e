#if Interleaving
  import Interleaving

  // A readers–writer lock: P. J. Courtois, F. Heymans and D. L. Parnas, "Concurrent Control with
  // 'Readers' and 'Writers'", Communications of the ACM 14(10), 1971. Threads wait on a semaphore.
  //
  //  1. `holders` is the number of readers that hold the lock, or -1 for a writer.
  //  2. A thread that cannot acquire the lock registers in `waiters`, and then tries again before
  //     it waits.
  //  3. A release changes `holders`, and then signals once for each registered thread.
  //
  // By 2 and 3, a thread that waits has registered before the release that it waits for. A signal
  // for a thread that did not wait wakes another one early, which tries again.
  //
  // Every operation is sequentially consistent: 2 and 3 store to one variable and then load the
  // other one.
  final class ReadersWriterLock: Structure {
    enum Defect: String {
      case noSecondAttempt = "a thread waits without a second attempt after it has registered"
    }

    private let defect: Defect?
    private let holders = Atomic(0)
    private let waiters = Atomic(0)
    private let wakeUps = Semaphore(0)
    private let value = Atomic(0)

    init(defect: Defect?) {
      self.defect = defect
    }

    func read() -> Int {
      acquire { $0 >= 0 ? $0 + 1 : nil }
      // Relaxed, as the store in `write`: the lock orders them.
      let result = value.load(ordering: .relaxed)
      holders.wrappingSubtract(1, ordering: .sequentiallyConsistent)
      wakeAll()
      return result
    }

    func write(_ new: Int) {
      acquire { $0 == 0 ? -1 : nil }
      value.store(new, ordering: .relaxed)
      holders.store(0, ordering: .sequentiallyConsistent)
      wakeAll()
    }

    private func acquire(_ next: (Int) -> Int?) {
      while !attempt(next) {
        waiters.wrappingAdd(1, ordering: .sequentiallyConsistent)
        if defect != .noSecondAttempt, attempt(next) { return }
        wakeUps.wait()
      }
    }

    /// Changes `holders` to the next number; returns false if there is none.
    private func attempt(_ next: (Int) -> Int?) -> Bool {
      var old = holders.load(ordering: .sequentiallyConsistent)
      while let new = next(old) {
        let (exchanged, current) = holders.compareExchange(
          expected: old, desired: new, ordering: .sequentiallyConsistent)
        if exchanged { return true }
        old = current
      }
      return false
    }

    private func wakeAll() {
      let count = waiters.exchange(0, ordering: .sequentiallyConsistent)
      for _ in 0..<count { wakeUps.signal() }
    }
  }

  enum RegisterCall: Call {
    case read
    case write(Int)

    func perform(on subject: ReadersWriterLock) -> Int? {
      switch self {
      case .read: return subject.read()
      case .write(let value):
        subject.write(value)
        return nil
      }
    }

    func apply(to model: inout Int) -> Int? {
      switch self {
      case .read: return model
      case .write(let value):
        model = value
        return nil
      }
    }
  }

  extension Specimen {
    static let readersWriterLock = Specimen(
      "readers–writer lock", paper: "Courtois, Heymans and Parnas, CACM 1971",
      defect: ReadersWriterLock.Defect.noSecondAttempt, effect: .deadlock,
      CallProgram<RegisterCall>(model: 0, threads: [[.read], [.write(1)]], after: [.read]),
      drawing: [.read, .write(1), .write(2)])
  }
#endif
