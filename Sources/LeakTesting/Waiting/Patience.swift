import LeakMonitoring

/// Looks for objects that live on, again and again until there are none or their grace is over.
///
/// It looks at once, then soon, and ever more seldom: most are gone at the first look.
struct Patience<Finding> {
  enum Step {
    /// What is left: nothing, or what no grace is left for.
    case over([Finding])
    /// To be asked again after so long.
    case wait(Duration)
  }

  private let look: () -> [Finding]
  private let clock = WaitingClock.current
  private var grace: Grace
  private var pause: Duration = .milliseconds(1)

  init(_ duration: Duration, look: @escaping () -> [Finding]) {
    self.look = look
    grace = Grace(duration, from: clock.now())
  }

  private mutating func next() -> Step {
    let found = look()
    if found.isEmpty || grace.poll(at: clock.now()) { return .over(found) }
    defer { pause = min(pause * 2, grace.interval) }
    return .wait(pause)
  }

  /// Returns what is left; pumps the run loop of the calling thread meanwhile.
  mutating func waitPumping() -> [Finding] {
    while true {
      switch next() {
      case .over(let found): return found
      case .wait(let duration): clock.pump(duration)
      }
    }
  }

  /// Returns what is left; suspends meanwhile.
  mutating func wait() async -> [Finding] {
    while true {
      switch next() {
      case .over(let found): return found
      case .wait(let duration): await clock.sleep(duration)
      }
    }
  }
}
