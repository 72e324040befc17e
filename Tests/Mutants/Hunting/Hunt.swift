import StressTesting

/// How a mutant is looked for, and the same search through the code that it was made from.
package enum Hunt: Sendable {
  /// Schedules of a scenario of the reclamation, with something planted there.
  case reclamation(ReclamationScenario, Planting)
  /// Schedules of a program that uses an interner.
  case interning(InternerScenario, Planting)
  /// Random scenarios of a collection, `original` being the right one.
  case stress(Subject, original: Subject, StressDriver)
  /// Schedules of one scenario of a collection, for what random ones seldom come to.
  case scenario(Subject, original: Subject, Scenario)

  /// What must find the mutant.
  package var tool: Tool {
    switch self {
    case .reclamation: .reclamation
    case .interning: .interning
    case .stress(_, _, .schedules), .scenario: .schedules
    case .stress(_, _, .threads): .threads
    }
  }

  /// The hunt for nothing: through the code as it is.
  package var ofOriginal: Hunt {
    switch self {
    case .reclamation(let scenario, _): .reclamation(scenario, .none)
    case .interning(let scenario, _): .interning(scenario, .none)
    case .stress(_, let original, let driver): .stress(original, original: original, driver)
    case .scenario(_, let original, let scenario): .scenario(original, original: original, scenario)
    }
  }

  /// The program that it runs, if its scenario is one, and what is planted.
  var program: ProgramHunt? {
    switch self {
    case .reclamation(let scenario, let planting):
      ProgramHunt(program: scenario, planting: planting)
    case .interning(let scenario, let planting):
      ProgramHunt(program: scenario, planting: planting)
    case .stress, .scenario: nil
    }
  }

  /// How much of the time for one hunt it gets: less where the scenario is given, which need not be drawn
  /// first, and least where it was written for the one mutant.
  package var timeShare: Double {
    switch self {
    case .stress: 1
    case .reclamation, .interning: 1 / 2
    case .scenario: 1 / 3
    }
  }

  /// Where is hunted; two hunts of one ground differ in what is planted alone.
  package var ground: String {
    switch self {
    case .reclamation(let scenario, _): "reclamation: \(scenario.rawValue)"
    case .interning(let scenario, _): "interner: \(scenario.rawValue)"
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
  /// Programs that use an interner, under the managed scheduler.
  case interning = "schedules of the interner"

  package var isAvailable: Bool { self == .threads || StressDriver.schedules.isAvailable }
}
