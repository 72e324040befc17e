import BenchmarkCommands
import TerminalIO
import Choosing
import Measurements
import WeakCollections
import Workloads

/// The chooser's picks for points that it does not know, and their costs.
struct RegretTrial: Encodable {
  /// The questions that the chooser could answer from other measurements.
  let questions: [RegretQuestion]
  /// The number of questions outside the measured range.
  let outside: Int
  /// The assumed noise floor.
  let noiseFloor: Double

  /// Asks about the points of `source`.
  ///
  /// - Parameters:
  ///   - source: The measured rows.
  ///   - calibration: The calibration that answers every question; without it, all other points of
  ///     `source` answer.
  ///   - noiseFloor: The assumed noise floor.
  /// - Throws: An error for malformed data if no point has two backends with two trials each.
  init(
    _ source: ChoiceSource, calibration: Calibration? = nil,
    noiseFloor: Double = Chooser.standardNoiseFloor
  ) throws(CommandError) {
    let contests = RegretContest.contests(of: source.samples)
    guard !contests.isEmpty else {
      throw CommandError(
        status: .badData,
        description:
          "no point has two backends with two trials each; measure with --trials 2 or more")
    }
    var questions: [RegretQuestion] = []
    var outside = 0
    func ask(_ contest: RegretContest, asMix: Bool, from known: Calibration) {
      let recommendation = Chooser(calibration: known, key: source.key, noiseFloor: noiseFloor)
        .recommendation(for: contest.profile(cores: source.key.cores, asMix: asMix))
      guard recommendation.isMeasured,
        let regret = contest.regret(of: recommendation.backend, noiseFloor: noiseFloor)
      else {
        outside += 1
        return
      }
      questions.append(
        RegretQuestion(contest, asMix: asMix, recommendation, regret: regret))
    }
    for contest in contests {
      let point = contest.point
      // Custom mixes share one name, which does not identify them.
      let isCustom = point.workload == Workload.customName
      if let calibration {
        ask(contest, asMix: point.isPureMix, from: calibration)
        continue
      }
      ask(contest, asMix: isCustom, from: source.calibration { $0 != point })
      if point.isPureMix {
        ask(
          contest, asMix: true,
          from: source.calibration {
            $0.workload != point.workload || $0.shares != point.shares
          })
      }
    }
    (self.questions, self.outside) = (questions, outside)
    self.noiseFloor = noiseFloor
  }

  /// Returns a quantile of the regrets, or `nil` if there are no questions.
  func regret(atQuantile part: Double) -> Double? {
    Statistics.quantile(part, of: questions.map(\.regret))
  }

  /// Throws if the chooser could answer no question: such a run shows nothing, and is no success.
  func checkQuestions() throws(CommandError) {
    guard questions.isEmpty else { return }
    throw .failed(
      "no question was asked: all \(outside) are outside the measured range; "
        + "pass rows of more threads, sizes or workloads")
  }

  var json: String { PrettyJSON.text(of: self) }
}

/// One question, and the cost of the answer relative to the best backend.
struct RegretQuestion: Encodable {
  let point: GridPoint
  /// Whether the question was about the mix, without the name of the workload.
  let asMix: Bool
  let picked: Backend
  let isUndecided: Bool
  let best: Backend
  let regret: Double

  fileprivate init(
    _ contest: RegretContest, asMix: Bool, _ recommendation: Recommendation, regret: Double
  ) {
    point = contest.point
    self.asMix = asMix
    picked = recommendation.backend
    isUndecided = !recommendation.isDecided
    best = contest.best
    self.regret = regret
  }
}

/// The costs of the backends at one point, in two halves of the trials.
struct RegretContest {
  let point: GridPoint
  /// The best backend in the first half.
  let best: Backend
  private let medians: [Backend: Double]

  /// Splits the trials, or returns `nil` unless two backends have two trials each.
  init?(_ samples: [CostSample]) {
    var halves: [(backend: Backend, picking: Double, costing: Double)] = []
    for (backend, trials) in Dictionary(grouping: samples, by: \.backend) {
      let times = trials.map(\.nanosecondsPerOperation)
      let (even, odd) = (
        times.indices.filter { $0.isMultiple(of: 2) }, times.indices.filter { $0 % 2 == 1 }
      )
      guard let picking = Statistics.median(even.map { times[$0] }),
        let costing = Statistics.median(odd.map { times[$0] })
      else { continue }
      halves.append((backend, picking, costing))
    }
    let order = Backend.allCases.compactMap { backend in halves.first { $0.backend == backend } }
    guard order.count > 1, let first = order.min(by: { $0.picking < $1.picking }) else {
      return nil
    }
    point = samples[0].point
    best = first.backend
    medians = Dictionary(uniqueKeysWithValues: order.map { ($0.backend, $0.costing) })
  }

  static func contests(of samples: [CostSample]) -> [RegretContest] {
    Dictionary(grouping: samples, by: \.point).sorted { $0.key < $1.key }
      .compactMap { RegretContest($0.value) }
  }

  /// Returns the cost of `backend` divided by that of the best backend, in the second half.
  ///
  /// A ratio within the noise floor counts as 1.
  ///
  /// - Returns: `nil` if the backend was not measured.
  func regret(
    of backend: Backend, noiseFloor: Double = Chooser.standardNoiseFloor
  ) -> Double? {
    guard let cost = medians[backend], let least = medians[best] else { return nil }
    let ratio = cost / least
    return ratio < 1 + noiseFloor ? 1 : ratio
  }

  func profile(cores: Int, asMix: Bool) -> WorkloadProfile {
    WorkloadProfile(
      collection: point.collection, workload: asMix ? nil : point.workload, shares: point.shares,
      threads: point.threads, cores: cores, size: point.size, synchronousOnly: false)
  }
}
