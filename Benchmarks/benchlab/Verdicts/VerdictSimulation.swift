import BenchmarkCommands
import Charts
import Foundation
import Measurements
import SeededRandom
import TerminalIO
import Workloads

/// A simulated machine on which the true times are known. It adds noise to the logarithms of the
/// times at three levels: whole sessions, contestants within a session, and trials.
struct SimulatedMachine {
  var generator: SplitMix64
  /// The standard deviation of whole sessions. This noise affects all contestants equally.
  var session = 0.2
  /// The standard deviation of a contestant within a session.
  var contestant = 0.05
  /// The standard deviation of a trial.
  var trial = 0.02
  /// Whether the noise of sessions and contestants has many outliers: it follows Student's
  /// distribution with 3 degrees of freedom, scaled by 1/√3, instead of the normal distribution.
  var hasOutliers = false

  init(seed: Seed) { generator = SplitMix64(seed: seed) }

  /// Returns the sessions of contestants whose true times are `times`, with three trials each.
  ///
  /// - Parameters:
  ///   - times: The true times.
  ///   - sessions: The number of sessions; with `stopsEarly`, the largest number.
  ///   - stopsEarly: Whether `StoppingRule` ends the sessions after three or more.
  mutating func measure(
    _ times: [Double], sessions: Int, stopsEarly: Bool = false
  ) -> [SessionValues] {
    var values = times.map { _ in [(session: Measurement.Session, value: Double)]() }
    for number in 1...sessions {
      if stopsEarly, number > StandardMatrix.sessions {
        let sides = values.compactMap { SessionValues($0) }
        if StoppingRule.open(sides.enumerated().map { ($0.offset, $0.element) }).isEmpty { break }
      }
      let whole = exp(session * noise())
      for (place, time) in times.enumerated() {
        let own = time * whole * exp(contestant * noise())
        for _ in 0..<3 {
          values[place].append(
            (Measurement.Session(run: "simulated", number: number), own * exp(trial * normal())))
        }
      }
    }
    return values.compactMap { SessionValues($0) }
  }

  /// Draws from the standard normal distribution, by the method of Box and Muller (1958).
  private mutating func normal() -> Double {
    (-2 * log(Double.random(in: Double.ulpOfOne..<1, using: &generator))).squareRoot()
      * cos(2 * .pi * Double.random(in: 0..<1, using: &generator))
  }

  private mutating func noise() -> Double {
    guard hasOutliers else { return normal() }
    let squares = (0..<3).reduce(0.0) { sum, _ in
      let value = normal()
      return sum + value * value
    }
    return normal() / squares.squareRoot()
  }
}

/// The statistical power of verdicts, by simulation: how often they are right.
enum VerdictPower {
  static let comparisons = 2000
  static let noises = [0.02, 0.05, 0.1]
  static let sessions = [3, 5, 10]
  static let differences = [0.0, 0.05, 0.1, 0.2, 0.5]

  /// Returns the fraction of comparisons with each verdict on a series that is slower by
  /// `difference`.
  static func shares(
    ofDifference difference: Double, sessions: Int, by machine: inout SimulatedMachine,
    comparisons: Int = Self.comparisons
  ) -> [Verdict: Double] {
    var shares: [Verdict: Double] = [:]
    for _ in 0..<comparisons {
      let sides = machine.measure([100, 100 * (1 + difference)], sessions: sessions)
      let verdict = VerdictRule().judgment(on: sides[1], over: sides[0]).verdict
      shares[verdict, default: 0] += 1 / Double(comparisons)
    }
    return shares
  }

  /// Returns a table with a line for each noise and number of sessions. It shows how often verdicts
  /// on equal series are *faster*, which is false, or *equivalent*, and how often a slower series
  /// is found slower.
  static func table(seed: Seed, comparisons: Int = Self.comparisons) -> TextTable {
    let titles = ["noise", "sessions", "equal: faster", "equal: equivalent"]
    let columns =
      titles.map { TextTable.Column(title: $0, alignment: .right) }
      + differences.dropFirst().map {
        .init(title: "\(Int($0 * 100)) % slower: found", alignment: .right)
      }
    func percent(_ share: Double?) -> String {
      NumberText.fixed(100 * (share ?? 0), decimals: 1) + " %"
    }
    return TextTable(
      columns: columns,
      rows: noises.flatMap { noise in
        sessions.map { sessions in
          var machine = SimulatedMachine(seed: seed)
          machine.contestant = noise
          let shares = differences.map {
            Self.shares(
              ofDifference: $0, sessions: sessions, by: &machine, comparisons: comparisons)
          }
          let equal = shares[0]
          return [
            "\(Int(noise * 100)) %", "\(sessions)", percent(equal[.faster]),
            percent(equal[.equivalent]),
          ] + shares.dropFirst().map { percent($0[.slower]) }
        }
      })
  }

  /// The largest number of sessions of a run that may stop early.
  static let mostSessions = 15

  /// Returns a table of runs that stop by `StoppingRule`, with a line for each noise and
  /// difference. It shows how often each verdict is reached, the mean number of sessions, and the
  /// mean estimate divided by the truth.
  static func stoppingTable(seed: Seed) -> TextTable {
    let titles =
      ["noise", "slower by"] + Verdict.allCases.map(\.rawValue) + ["sessions", "estimate ÷ truth"]
    func percent(_ fraction: Double) -> String {
      NumberText.fixed(100 * fraction, decimals: 1) + " %"
    }
    return TextTable(
      columns: titles.map { .init(title: $0, alignment: .right) },
      rows: noises.flatMap { noise in
        differences.map { difference in
          let (shares, sessions, bias) = stopping(
            atDifference: difference, noise: noise, seed: seed)
          return ["\(Int(noise * 100)) %", "\(Int(difference * 100)) %"]
            + Verdict.allCases.map { percent(shares[$0, default: 0]) }
            + [NumberText.fixed(sessions, decimals: 1), NumberText.fixed(bias, decimals: 3)]
        }
      })
  }

  /// Returns the fraction of comparisons with each verdict on a series that is slower by
  /// `difference`, the mean number of sessions, and the mean estimate divided by the true ratio.
  static func stopping(
    atDifference difference: Double, noise: Double, seed: Seed,
    comparisons: Int = Self.comparisons
  ) -> (shares: [Verdict: Double], sessions: Double, bias: Double) {
    var machine = SimulatedMachine(seed: seed)
    machine.contestant = noise
    var (shares, sessions, logarithms): ([Verdict: Double], Int, Double) = ([:], 0, 0)
    for _ in 0..<comparisons {
      let sides = machine.measure(
        [100, 100 * (1 + difference)], sessions: mostSessions, stopsEarly: true)
      let judgment = VerdictRule().judgment(on: sides[1], over: sides[0])
      shares[judgment.verdict, default: 0] += 1 / Double(comparisons)
      sessions += sides[0].sessions.count
      logarithms += log(judgment.estimate.ratio / (1 + difference))
    }
    return (
      shares, Double(sessions) / Double(comparisons), exp(logarithms / Double(comparisons))
    )
  }
}
