import Interleaving

/// What runs scenarios: threads of the operating system, or a managed scheduler.
package enum StressDriver: String, CaseIterable, Sendable {
  case threads
  case schedules

  /// Whether this build can run `subject` so: schedules need the trait `Interleaving` and a subject that
  /// never suspends.
  package func supports(_ subject: Subject) -> Bool {
    switch self {
    case .threads: true
    case .schedules: Exploration.isAvailable && subject.isSynchronous
    }
  }

  package var isAvailable: Bool { self == .threads || Exploration.isAvailable }
}
