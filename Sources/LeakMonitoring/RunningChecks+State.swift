extension RunningChecks {
  enum Phase { case undecided, telling, told, parked }

  struct Running {
    var phase = Phase.undecided
    /// The number of the check whose successor this is, else its own: who waits for that, waits for this.
    let origin: Int
    var task: Task<Void, Never>
    /// How it goes on once it has told.
    var told: Told?
    /// How often it was parked: tells the task that waits from the one that did before.
    var turn = 0
    /// The told check of the same subject that is parked for this one.
    var predecessor: Int?
  }

  /// How a told check goes on.
  struct Told: Sendable {
    /// Waits in a new task, whose turn it is.
    let wait: @Sendable (_ turn: Int) -> Task<Void, Never>
    /// Ends without waiting.
    let giveUp: @Sendable () -> Void
  }

  /// Who waits until what was begun by then is decided.
  struct Waiting {
    let last: Int
    var undecided: Int
    let continuation: CheckedContinuation<Void, Never>
  }

  struct State {
    var running: [Int: Running] = [:]
    /// The told check of each subject that waits; the others are parked, each for the next.
    private var waiters: [CheckSubject: Int] = [:]
    var begun = 0
    var undecided = 0
    var isClosed = false
    var waiting: [Waiting] = []

    mutating func begin(from origin: Int) {
      undecided += 1
      for index in waiting.indices where origin <= waiting[index].last {
        waiting[index].undecided += 1
      }
    }

    /// Whom to wake, since nothing they wait for is undecided any more.
    mutating func decide(from origin: Int) -> [CheckedContinuation<Void, Never>] {
      undecided -= 1
      for index in waiting.indices where origin <= waiting[index].last {
        waiting[index].undecided -= 1
      }
      defer { waiting.removeAll { $0.undecided == 0 } }
      return waiting.filter { $0.undecided == 0 }.map(\.continuation)
    }

    /// Has `number`, which has told, wait; returns the task that is to end, that of whoever waited so far.
    mutating func beginWaiting(
      _ number: Int, of subject: CheckSubject?, _ told: Told
    ) -> Task<Void, Never>? {
      running[number]?.told = told
      guard let subject, let former = waiters.updateValue(number, forKey: subject)
      else { return nil }
      running[number]?.predecessor = former
      running[former]?.phase = .parked
      running[former]?.turn += 1
      return running[former]?.task
    }

    /// Ends that `number` waits, unless it is parked, and lets who is parked for it wait; returns whether it did.
    mutating func endWaiting(_ number: Int, _ turn: Int, of subject: CheckSubject?) -> Bool {
      guard let check = running[number] else { return true }
      guard check.turn == turn else { return false }
      guard let subject else { return true }
      waiters[subject] = check.predecessor
      if let next = check.predecessor, let parked = running[next] {
        running[next]!.phase = .told
        running[next]!.task = parked.told!.wait(parked.turn)
      }
      return true
    }

    /// Ends all that have told; returns them.
    mutating func endTold() -> [Running] {
      let told = running.filter { $0.value.phase == .told || $0.value.phase == .parked }
      for number in told.keys { running[number] = nil }
      waiters = [:]
      return Array(told.values)
    }
  }
}
