import WeakCollections

/// A chooser of the cheapest backend for a workload, from measurements made where the program runs.
///
/// ```swift
/// let profile = WorkloadProfile(
///   collection: .dictionary, shares: OperationShares(read: 90, update: 10), threads: 4,
///   cores: 4, entries: 1_000, synchronousOnly: true)
/// let recommendation = Chooser().recommendation(for: profile)
/// print(recommendation.backend, recommendation.reason)
/// ```
public struct Chooser: Sendable {
  private let calibration: Calibration
  private let key: CalibrationKey

  /// Creates a chooser.
  ///
  /// - Parameters:
  ///   - calibration: The measured costs.
  ///   - key: The conditions under which the program runs. The profile's cores replace its cores.
  public init(calibration: Calibration = .compiled, key: CalibrationKey = .current) {
    self.calibration = calibration
    self.key = key
  }

  /// Returns the cheapest backend that `profile` can use, by the median over sessions.
  /// `weakbench choose` also tests whether the next backend is slower.
  ///
  /// Without measurements for this key it returns `Backend.standard`, marked uncalibrated. It never
  /// uses the measurements of another compiler, mutex, processor or number of cores instead.
  ///
  /// - Parameters:
  ///   - profile: The workload.
  ///   - objective: The cost to minimize.
  /// - Returns: The backend with the reason, the costs and the ranking.
  /// - Complexity: that of `CostModel.answer(to:objective:)`.
  public func recommendation(
    for profile: WorkloadProfile, objective: CostObjective = .throughput
  ) -> Recommendation {
    var key = key
    key.cores = profile.cores
    guard let model = calibration.model(for: key),
      let answer = model.answer(to: profile, objective: objective)
    else { return Self.standard(for: profile, objective, on: key) }
    return Recommendation(answer, from: model)
  }

  private static func standard(
    for profile: WorkloadProfile, _ objective: CostObjective, on key: CalibrationKey
  ) -> Recommendation {
    let needsBytes = objective == .bytes || profile.memoryWeight > 0
    let what = needsBytes ? "bytes" : objective == .p99 ? "p99" : "costs"
    return Recommendation(
      backend: .standard, isCalibrated: false,
      reason: "It is the documented default: no \(what) of this workload on a "
        + "\(profile.collection.rawValue) were measured with \(key).")
  }
}

/// A backend to use, with the reason.
public struct Recommendation: Hashable, Sendable {
  /// The backend to use.
  public var backend: Backend
  /// Whether the recommendation is based on measurements made where the program runs.
  public var isCalibrated: Bool
  /// The compared backends, the cheapest first; empty if nothing was measured.
  public var ranking: [PredictedCost] = []
  /// The cost of the second-cheapest backend as a multiple of the cheapest one's; nil if there is
  /// no second one.
  public var margin: Double?
  /// The distance of the question from the measured grid. Outside the grid, the answer is that of
  /// the nearest place.
  public var excess = GridExcess()
  /// The measured points on which the recommendation is based.
  public var points: [GridPoint] = []
  /// The explanation, in sentences.
  public var reason: String

  /// Creates a recommendation without costs.
  public init(backend: Backend, isCalibrated: Bool, reason: String) {
    self.backend = backend
    self.isCalibrated = isCalibrated
    self.reason = reason
  }

  /// The predicted cost of the backend; nil if nothing was measured.
  public var prediction: PredictedCost? { ranking.first }

  /// Whether the recommendation is based only on measurements around the question.
  public var isMeasured: Bool { isCalibrated && excess.isWithin }
}

extension Recommendation {
  init(_ answer: CostAnswer, from model: CostModel) {
    let ranking = Self.ranking(of: answer)
    let points = model.points(of: answer)
    let rank = ranking.count == 1 ? "the only backend" : "the cheapest of \(ranking.count) backends"
    let place = points.map(\.description).joined(separator: "; ")
    let nearness = points.count == 1 ? "at" : "at the nearest points:"
    var reason = "It is \(rank) measured \(nearness) \(place)."
    if !answer.excess.isWithin {
      reason += " The question lies outside the measurements: \(answer.excess)."
    }
    self.init(backend: answer.cheapest, isCalibrated: true, reason: reason)
    self.ranking = ranking.compactMap { model.costs(of: $0.backend, at: answer) }
    margin = ranking.count > 1 ? ranking[1].score / ranking[0].score : nil
    excess = answer.excess
    self.points = points
  }

  /// Returns the backends by cost. The sort is stable, so `cheapest` is the first of equally cheap
  /// ones.
  private static func ranking(of answer: CostAnswer) -> [(backend: Backend, score: Double)] {
    Backend.allCases.compactMap { backend in
      answer.score(of: backend).map { (backend: backend, score: $0.median) }
    }.sorted { $0.score < $1.score }
  }
}

extension Recommendation {
  /// Returns the backend of a monitor that was not given one: the build flag's backend if it never
  /// suspends, otherwise the chooser's.
  ///
  /// - Parameters:
  ///   - selectedByTrait: The backend that the build flag selects.
  ///   - calibration: The measured costs.
  ///   - named: The text that identifies the calibration in the reason.
  package static func forMonitor(
    selectedByTrait: Backend? = Backend.selectedByTrait, calibration: Calibration = .compiled,
    named: String = "this package was built with"
  ) -> Recommendation {
    guard let selectedByTrait, selectedByTrait.isSynchronous else {
      var chosen = Chooser(calibration: calibration).recommendation(for: .leakMonitor)
      chosen.reason += " The calibration is the one that \(named)."
      return chosen
    }
    return Recommendation(
      backend: selectedByTrait, isCalibrated: false,
      reason: "The trait \(selectedByTrait.trait) selects it.")
  }
}
