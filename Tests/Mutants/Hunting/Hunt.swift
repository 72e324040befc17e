import StressTesting

/// How a mutant is looked for, and the same search through the code that it was made from.
package enum Hunt: Sendable {
  /// Schedules of a scenario of the reclamation, with something planted there.
  case reclamation(ReclamationScenario, Planting)
  /// Random scenarios of a collection, `original` being the right one.
  case stress(Subject, original: Subject, StressDriver)
  /// Schedules of one scenario of a collection, for what random ones seldom come to.
  case scenario(Subject, original: Subject, Scenario)

  /// What must find the mutant.
  package var tool: Tool {
    switch self {
    case .reclamation: .reclamation
    case .stress(_, _, .schedules), .scenario: .schedules
    case .stress(_, _, .threads): .threads
    }
  }

  /// The hunt for nothing: through the code as it is.
  package var ofOriginal: Hunt {
    switch self {
    case .reclamation(let scenario, _): .reclamation(scenario, .none)
    case .stress(_, let original, let driver): .stress(original, original: original, driver)
    case .scenario(_, let original, let scenario): .scenario(original, original: original, scenario)
    }
  }

  /// How much of the time for one hunt it gets: less where the scenario is given, which need not be drawn
  /// first, and least where it was written for the one mutant.
  package var timeShare: Double {
    switch self {
    case .stress: 1
    case .reclamation: 1 / 2
    case .scenario: 1 / 3
    }
  }

  /// Where is hunted; two hunts of one ground differ in what is planted alone.
  package var ground: String {
    switch self {
    case .reclamation(let scenario, _): "reclamation: \(scenario.rawValue)"
    case .stress(_, let original, let driver): "\(original): \(driver.rawValue)"
    case .scenario(_, let original, let scenario): "\(original): \(scenario.text)"
    }
  }
}

/// A tool of the stress harness.
package enum Tool: String, CaseIterable, Sendable {
  /// Random scenarios on threads of the operating system.
  case threads = "stress on threads"
  /// Random scenarios under the managed scheduler.
  case schedules = "stress under schedules"
  /// The scenarios of the reclamation under the managed scheduler.
  case reclamation = "schedules of the reclamation"

  package var isAvailable: Bool { self == .threads || StressDriver.schedules.isAvailable }
}
