import CShims
import Primitives
import WeakCollections

// The switch of all monitors: the program's own setting, or else what it asks for.
extension MemoryLeakMonitor {
  private static let enabled = Atomic<Bool>(isEnabledByDefault)
  private static let decision = MutexLock(Decision())

  /// Whether monitors are on; while they are off, they store nothing and begin no checks.
  ///
  /// The default is true in debug builds and in tests that link `LeakTesting`. In other builds it
  /// becomes true as soon as the program sets the `reporter` of a monitor or asks for `events`,
  /// unless the program has set this property itself. Objects that are validated while it is false
  /// are not counted later. If a program asks for reports and turns monitors off, a line on
  /// standard error says once that nothing is counted.
  public static var isEnabled: Bool {
    // Relaxed, both: the switch orders no other memory. A thread that sees a change late only
    // counts a few objects too many or too few.
    get { enabled.load(ordering: .relaxed) }
    set {
      decide { decision in
        decision.isMade = true
        return newValue
      }
    }
  }

  /// Turns monitors on for a program that asks for reports, unless it has set `isEnabled`.
  static func startForReports() {
    decide { decision in
      decision.reportsAreWanted = true
      return decision.isMade ? nil : true
    }
  }

  private static func decide(_ body: (inout Decision) -> Bool?) {
    let isSilent = decision.write { decision in
      if let isOn = body(&decision) { enabled.store(isOn, ordering: .relaxed) }
      guard decision.reportsAreWanted, !isEnabled, !decision.silenceIsAnnounced
      else { return false }
      decision.silenceIsAnnounced = true
      return true
    }
    if isSilent { announceSilence() }
  }

  static func announceSilence() {
    cws_print_error("nothing is counted, because MemoryLeakMonitor.isEnabled is false")
  }

  /// Who decided whether monitors are on.
  private struct Decision {
    /// Whether the program has set `isEnabled`.
    var isMade = false
    var reportsAreWanted = false
    var silenceIsAnnounced = false
  }

  private static var isEnabledByDefault: Bool {
    #if DEBUG
      true
    #else
      false
    #endif
  }
}
