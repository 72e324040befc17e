import WeakCollections

/// Picks the cheapest backend for a workload from measurements made where the program runs.
public struct Chooser: Sendable {
  private let calibration: Calibration
  private let key: CalibrationKey
  private let noiseFloor: Double

  /// The noise floor where it was not measured: two builds of equal code differ by this much on a
  /// quiet machine.
  public static var standardNoiseFloor: Double { 0.05 }

  /// Creates a chooser.
  ///
  /// - Parameters:
  ///   - calibration: The measured costs.
  ///   - key: Where the program runs; the profile's cores replace its cores.
  ///   - noiseFloor: The relative difference in cost below which it does not decide between two
  ///     backends.
  public init(
    calibration: Calibration = .compiled, key: CalibrationKey = .current,
    noiseFloor: Double = Chooser.standardNoiseFloor
  ) {
    precondition(noiseFloor >= 0, "noiseFloor must not be negative, got \(noiseFloor)")
    self.calibration = calibration
    self.key = key
    self.noiseFloor = noiseFloor
  }

  /// Returns the cheapest backend that `profile` can use.
  ///
  /// Without measurements for this key it returns `Backend.standard`, marked uncalibrated. It never
  /// uses the measurements of another compiler, mutex, processor or number of cores instead.
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
  /// Whether it is based on measurements made where the program runs.
  public var isCalibrated: Bool
  /// The compared backends, the cheapest first; empty if nothing was measured.
  public var ranking: [PredictedCost] = []
  /// The cost of the second-cheapest backend as a multiple of the cheapest one's; nil without a
  /// second.
  public var margin: Double?
  /// The backends between which measurements do not decide, the cheapest first; empty if they
  /// decide.
  public var undecidedBetween: [Backend] = []
  /// How far the question lies outside of the measured grid; the answer is then that of the nearest
  /// place.
  public var excess = GridExcess()
  /// The measured points on which it is based.
  public var points: [GridPoint] = []
  /// The explanation for people.
  public var reason: String

  public init(backend: Backend, isCalibrated: Bool, reason: String) {
    self.backend = backend
    self.isCalibrated = isCalibrated
    self.reason = reason
  }

  /// The predicted cost of the backend; nil if nothing was measured.
  public var prediction: PredictedCost? { ranking.first }

  /// Whether measurements decide that it is the cheapest.
  public var isDecided: Bool { undecidedBetween.isEmpty }

  /// Whether it is based on measurements around the question alone.
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

  /// The backends by cost. Sorting is stable, so of equally cheap ones the first is also
  /// `cheapest`.
  private static func ranking(of answer: CostAnswer) -> [(backend: Backend, score: Double)] {
    Backend.allCases.compactMap { backend in
      answer.score(of: backend).map { (backend: backend, score: $0.median) }
    }.sorted { $0.score < $1.score }
  }
}

extension Recommendation {
  /// Returns a monitor's backend where none is given: the build flag's if it never suspends, else
  /// the chooser's.
  ///
  /// - Parameter named: Describes the calibration in the reason.
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
