import ArgumentParser
import BenchmarkCommands
import Benchmarking
import Charts
import Interleaving
import Reporting
import TerminalIO
import Workloads

/// Measures the stress harness itself.
struct RatesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rates",
    abstract: "Measure how fast the stress harness is, beside the rates it has to reach.",
    discussion: """
      checker: recorded histories of a dictionary, made by simulating workers, each checked from its \
      operations to its verdict, on one thread. scheduler: executions of small programs under a random walk, on \
      one core, in a build with the trait Interleaving. A rate is the median of the rounds.
      """)

  /// What can be measured.
  enum Part: String, CaseIterable {
    case checker, scheduler

    /// What this build can measure.
    static var available: [Part] {
      allCases.filter { $0 != .scheduler || Exploration.isAvailable }
    }
  }

  @Option(help: "How often each rate is measured, at least 5. (default: 7)")
  var rounds: String?

  @Option(help: "The seed that the histories are drawn from. (default: 1)")
  var seed: String?

  @Argument(help: "What to measure: checker, scheduler. (default: all that this build has)")
  var parts: [String] = []

  func run() throws {
    let parts = try parts.map { name throws(CommandError) in try Self.part(named: name) }
    let rounds = try OptionText("--rounds", rounds, allowed: 5...1000).number(otherwise: 7)
    let seed = try Seed(option: seed, otherwise: .fixed).value
    if !BuildKind.isFitForMeasuring {
      Console.note("this is a \(BuildKind.name) build, whose rates mean nothing")
    }
    for part in parts.isEmpty ? Part.available : parts {
      let rates = try part.rates(rounds: rounds, seed: seed)
      RateTable.lines(rates).forEach(Console.print)
    }
  }

  private static func part(named name: String) throws(CommandError) -> Part {
    guard let part = Part(rawValue: name) else {
      throw .unknown("part", name, allowed: Part.allCases.map(\.rawValue))
    }
    guard Part.available.contains(part) else { throw SchedulerRates.unavailable }
    return part
  }
}

extension RatesCommand.Part {
  fileprivate func rates(rounds: Int, seed: UInt64) throws(CommandError) -> [MeasuredRate] {
    switch self {
    case .checker: try CheckerRates.measured(rounds: rounds, seed: seed)
    case .scheduler: try SchedulerRates.measured(rounds: rounds, seed: seed)
    }
  }
}

/// How fast a part of the stress harness is, and how fast it has to be.
struct MeasuredRate {
  var name: String
  var unit: String
  var perSecond: Double
  /// The rate to beat.
  var bar: Double
}

/// Measured rates beside their bars.
enum RateTable {
  static func lines(_ rates: [MeasuredRate]) -> [String] {
    let rows = rates.map { rate in
      [
        rate.name, NumberText.rate(rate.perSecond), NumberText.rate(rate.bar),
        "\(NumberText.amount(rate.perSecond / rate.bar))x", rate.unit,
      ]
    }
    return TextTable(
      columns: [
        .init(title: "WHAT"), .init(title: "RATE", alignment: .right),
        .init(title: "BAR", alignment: .right), .init(title: "RATE/BAR", alignment: .right),
        .init(title: "OF"),
      ], rows: rows
    ).lines
  }
}
