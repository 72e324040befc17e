import BenchmarkCommands
import TerminalIO
import Choosing
import Measurements
import WeakCollections
import Workloads

/// The chooser's picks for points that it does not know, and their costs.
struct RegretAnalysis: Encodable {
  /// The questions that the chooser could answer from other measurements.
  let questions: [RegretQuestion]
  /// The number of questions outside the measured range.
  let questionsOutsideRange: Int

  /// Asks about the points of `source`.
  ///
  /// - Parameters:
  ///   - source: The measured rows.
  ///   - calibration: The calibration that answers every question; without it, all other points of
  ///     `source` answer.
  /// - Throws: An error for malformed data if no point has two backends in two sessions each.
  init(_ source: ChoiceSource, calibration: Calibration? = nil) throws(CommandError) {
    let contests = RegretContest.contests(of: source.samples)
    guard !contests.isEmpty else {
      throw CommandError(
        status: .badData,
        description:
          "no point has two backends in two sessions each; measure with --sessions 2 or more")
    }
    var questions: [RegretQuestion] = []
    var questionsOutsideRange = 0
    func ask(_ contest: RegretContest, asMix: Bool, from known: Calibration) {
      let recommendation = Chooser(calibration: known, key: source.key)
        .recommendation(for: contest.profile(cores: source.key.cores, asMix: asMix))
      guard recommendation.isMeasured, let regret = contest.regret(of: recommendation.backend)
      else {
        questionsOutsideRange += 1
        return
      }
      questions.append(
        RegretQuestion(
          point: contest.point, asMix: asMix, picked: recommendation.backend, best: contest.best,
          regret: regret, floor: contest.floor))
    }
    for contest in contests {
      let point = contest.point
      // Custom mixes share one name, which does not identify them.
      let isCustom = point.workload == Workload.customName
      if let calibration {
        ask(contest, asMix: point.isPureMix, from: calibration)
        continue
      }
      if !isCustom { ask(contest, asMix: false, from: source.calibration { $0 != point }) }
      if point.isPureMix {
        ask(
          contest, asMix: true,
          from: source.calibration {
            $0.workload != point.workload || $0.shares != point.shares
          })
      }
    }
    (self.questions, self.questionsOutsideRange) = (questions, questionsOutsideRange)
  }

  /// Returns a quantile of a figure, or `nil` if there are no questions.
  func quantile(_ fraction: Double, of figure: (RegretQuestion) -> Double) -> Double? {
    Statistics.quantile(fraction, of: questions.map(figure))
  }

  /// Throws an error if the chooser could answer no question: such a run shows nothing, so it does
  /// not succeed.
  func checkQuestions() throws(CommandError) {
    guard questions.isEmpty else { return }
    throw .failed(
      "no question was asked: all \(questionsOutsideRange) are outside the measured range; "
        + "pass rows of more threads, entries or workloads")
  }

  var json: String { PrettyJSON.text(of: self) }
}

/// One question, and the cost of the answer relative to the best backend.
struct RegretQuestion: Encodable {
  let point: GridPoint
  /// Whether the question was about the mix, without the name of the workload.
  let asMix: Bool
  let picked: Backend
  /// The best backend in the sessions in which costs are compared.
  let best: Backend
  /// The cost of the pick divided by that of the best.
  let regret: Double
  /// The regret of the backend that is best in the other sessions.
  let floor: Double

  /// The regret relative to that of a pick from half of the sessions of the point itself.
  var regretOverFloor: Double { regret / floor }
}

/// The costs of the backends at one point, in two halves of the sessions.
///
/// Sessions differ, so the best backend of one half may not be the best of the other half. Its cost
/// in the other half, relative to the best one there, is the floor of the regret.
struct RegretContest {
  let point: GridPoint
  /// The best backend in the second half.
  let best: Backend
  /// The cost of the first half's best backend, divided by the cost of `best`; both in the second
  /// half.
  let floor: Double
  private let costs: [Backend: Double]

  /// Splits the sessions, or returns `nil` unless two backends have two sessions each.
  init?(_ samples: [CostSample]) {
    let measured = MeasuredCost.summaries(of: samples)
    // A session that measured only some backends would add its noise to these alone.
    let sessions = MeasuredCost.fullSessions(of: measured)
    let isFirst = Dictionary(
      uniqueKeysWithValues: sessions.enumerated().map { ($0.element, $0.offset.isMultiple(of: 2)) })
    var halves: [(backend: Backend, first: Double, second: Double)] = []
    for cost in measured {
      func median(ofFirst: Bool) -> Double? {
        Statistics.median(
          cost.sessions.filter { isFirst[$0.session] == ofFirst }.map(\.nanosecondsPerOperation))
      }
      guard let first = median(ofFirst: true), let second = median(ofFirst: false) else { continue }
      halves.append((cost.backend, first, second))
    }
    guard halves.count > 1, let known = halves.min(by: { $0.first < $1.first }),
      let least = halves.min(by: { $0.second < $1.second })
    else { return nil }
    point = samples[0].point
    best = least.backend
    floor = known.second / least.second
    costs = Dictionary(uniqueKeysWithValues: halves.map { ($0.backend, $0.second) })
  }

  static func contests(of samples: [CostSample]) -> [RegretContest] {
    Dictionary(grouping: samples, by: \.point).sorted { $0.key < $1.key }
      .compactMap { RegretContest($0.value) }
  }

  /// Returns the cost of `backend` divided by that of the best backend, in the second half; `nil`
  /// if the backend was not measured.
  func regret(of backend: Backend) -> Double? {
    costs[backend].flatMap { cost in costs[best].map { cost / $0 } }
  }

  func profile(cores: Int, asMix: Bool) -> WorkloadProfile {
    WorkloadProfile(
      collection: point.collection, workload: asMix ? nil : point.workload, shares: point.shares,
      threads: point.threads, cores: cores, entries: point.entries, synchronousOnly: false)
  }
}
