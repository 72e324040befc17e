import WeakCollections

/// Picks the cheapest backend for a workload from measurements made where the program runs.
public struct Chooser: Sendable {
  private let calibration: Calibration
  private let key: CalibrationKey
  private let noiseFloor: Double

  /// What a difference is taken for noise below, where nobody measured it: two builds of equal code differ as much
  /// on a quiet machine.
  public static var standardNoiseFloor: Double { 0.05 }

  /// A chooser for programs that run where `key` says; their cores are the profile's. Between backends whose
  /// costs differ by less than the part `noiseFloor` it does not decide.
  public init(
    calibration: Calibration = .compiled, key: CalibrationKey = .current,
    noiseFloor: Double = Chooser.standardNoiseFloor
  ) {
    precondition(noiseFloor >= 0, "expected a noise floor that is not below 0")
    self.calibration = calibration
    self.key = key
    self.noiseFloor = noiseFloor
  }

  /// The cheapest backend that `profile` can use.
  ///
  /// Without measurements for this key the answer is `Backend.standard`, marked uncalibrated: those of
  /// another compiler, mutex, processor or number of cores are never used in their place.
  public func recommendation(
    for profile: WorkloadProfile, objective: CostObjective = .throughput
  ) -> Recommendation {
    var key = key
    key.cores = profile.cores
    guard let model = calibration.model(for: key),
      let answer = model.answer(to: profile, objective: objective)
    else { return Self.standard(for: profile, objective, on: key) }
    return Recommendation(answer, from: model, noiseFloor: noiseFloor)
  }

  private static func standard(
    for profile: WorkloadProfile, _ objective: CostObjective, on key: CalibrationKey
  ) -> Recommendation {
    let needsBytes = objective == .bytes || profile.memoryWeight > 0
    let what = needsBytes ? "bytes" : objective == .p99 ? "p99" : "costs"
    return Recommendation(
      backend: .standard, isCalibrated: false,
      reason: "It is the documented default: no \(what) of this work on a "
        + "\(profile.collection.rawValue) were measured on \(key).")
  }
}

/// Which backend to use, and why.
public struct Recommendation: Hashable, Sendable {
  public var backend: Backend
  /// Whether it rests on measurements made where the program runs.
  public var isCalibrated: Bool
  /// All that were compared, the cheapest first; empty where nothing was measured.
  public var ranking: [PredictedCost] = []
  /// How many times as dear the next backend is; nil without another one.
  public var margin: Double?
  /// The backends that measurements do not tell apart, the cheapest first; empty if they tell which is best.
  public var undecidedBetween: [Backend] = []
  /// By how much the question lies outside what was measured; the answer is then that of the nearest place.
  public var excess = GridExcess()
  /// The measured points that it rests on.
  public var points: [GridPoint] = []
  /// What it rests on, in words.
  public var reason: String

  public init(backend: Backend, isCalibrated: Bool, reason: String) {
    self.backend = backend
    self.isCalibrated = isCalibrated
    self.reason = reason
  }

  /// What it is predicted to cost; nil where nothing was measured.
  public var prediction: PredictedCost? { ranking.first }

  /// Whether measurements tell that it is the best.
  public var isDecided: Bool { undecidedBetween.isEmpty }

  /// Whether it rests on measurements around what was asked, and on no others.
  public var isMeasured: Bool { isCalibrated && excess.isWithin }
}

extension Recommendation {
  init(_ answer: CostAnswer, from model: CostModel, noiseFloor: Double) {
    let ranking = Self.ranking(of: answer)
    let points = model.points(of: answer)
    let rank = ranking.count == 1 ? "the only backend" : "the cheapest of \(ranking.count) backends"
    let place = points.map(\.description).joined(separator: "; ")
    var reason = "It is \(rank) measured \(points.count == 1 ? "at" : "around it, at") \(place)."
    if !answer.excess.isWithin { reason += " That is not what was asked: \(answer.excess)." }
    self.init(backend: answer.cheapest, isCalibrated: true, reason: reason)
    self.ranking = ranking.compactMap { model.costs(of: $0.backend, at: answer) }
    margin = ranking.count > 1 ? ranking[1].score / ranking[0].score : nil
    let contenders = ranking.map(\.backend).filter {
      answer.isContender($0, noiseFloor: noiseFloor)
    }
    undecidedBetween = contenders.count > 1 ? contenders : []
    excess = answer.excess
    self.points = points
  }

  /// Sorting keeps the order of equals, which is that of `cheapest` too.
  private static func ranking(of answer: CostAnswer) -> [(backend: Backend, score: Double)] {
    Backend.allCases.compactMap { backend in
      answer.score(of: backend).map { (backend: backend, score: $0.median) }
    }.sorted { $0.score < $1.score }
  }
}
