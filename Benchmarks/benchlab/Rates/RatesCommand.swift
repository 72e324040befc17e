import ArgumentParser
import BenchmarkCommands
import Benchmarking
import Charts
import Interleaving
import Reporting
import TerminalIO
import Workloads

/// The command `rates`, which measures the stress harness itself.
struct RatesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rates",
    abstract: "Measure the speed of the stress harness, next to the required rates.",
    usage: "benchlab rates [<options>] [<parts> ...]",
    discussion: """
      checker: histories per second, on one thread. scheduler: executions per second, on \
      one core; it needs the trait Interleaving. See docs/benchmarking.md.
      """)

  /// A part of the stress harness.
  enum Part: String, CaseIterable {
    case checker, scheduler

    /// The parts that this build can measure.
    static var available: [Part] {
      allCases.filter { $0 != .scheduler || Exploration.isAvailable }
    }

    /// The build in which the rates of the part are meaningful.
    var fitBuild: (name: String, options: String) {
      switch self {
      case .checker: ("release", "-c release")
      case .scheduler: ("release+Interleaving", "-c release --traits Interleaving")
      }
    }
  }

  @Option(
    help: ArgumentHelp(
      "Measurements of each rate, at least 5. (default: 7)", valueName: "number"))
  var rounds: String?

  @Option(
    help: ArgumentHelp("Seed of histories and executions. (default: 1)", valueName: "number"))
  var seed: String?

  @Argument(help: "checker or scheduler. (default: all of this build)")
  var parts: [String] = []

  func run() throws {
    let parts = try parts.map { name throws(CommandError) in try Self.part(named: name) }
    let rounds = try OptionText("--rounds", rounds, allowed: 5...1000).number(otherwise: 7)
    let seed = try Seed(option: seed, otherwise: .fixed).value
    for part in parts.isEmpty ? Part.available : parts {
      if BuildKind.name != part.fitBuild.name {
        Console.note(
          "rates of the \(part) are meaningless in a \(BuildKind.name) build; "
            + "type: swift run \(part.fitBuild.options) benchlab rates \(part)")
      }
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

/// The measured and the required rate of a part of the stress harness.
struct MeasuredRate {
  var name: String
  var unit: String
  var perSecond: Double
  /// The required rate.
  var requiredPerSecond: Double
}

/// The table of measured and required rates.
enum RateTable {
  static func lines(_ rates: [MeasuredRate]) -> [String] {
    let rows = rates.map { rate in
      [
        rate.name, NumberText.rate(rate.perSecond), NumberText.rate(rate.requiredPerSecond),
        "\(NumberText.amount(rate.perSecond / rate.requiredPerSecond))x", rate.unit,
      ]
    }
    return TextTable(
      columns: [
        .init(title: "SHAPE"), .init(title: "RATE", alignment: .right),
        .init(title: "REQUIRED", alignment: .right), .init(title: "RATIO", alignment: .right),
        .init(title: "UNIT"),
      ], rows: rows
    ).lines
  }
}
