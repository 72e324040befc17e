import BenchmarkCommands
import TerminalIO
import Benchmarking
import Charts
import Measurements
import Reporting
import WeakCollections
import Workloads

/// Makes a plan smaller until it fits, and gives up first what is missed least:
///
/// 1. repetitions beyond five, which make intervals narrower but change no verdict's kind;
/// 2. seconds of each trial, down to a tenth;
/// 3. peers, then baselines, which only give the scale; unless somebody named the contestants;
/// 4. sizes, then thread counts: those between others first, the standard size and the cores last;
/// 5. workloads: those that `--quick` has last;
/// 6. repetitions, down to one.
///
/// Each step gives up no more than it must. What a later step has freed is given to the seconds again.
/// All that is compared with each other is given up together.
struct PlanShrinking {
  private(set) var trials: [TrialSpecification]
  private let fits: ([TrialSpecification]) -> Bool

  private static let leastSeconds = 0.1
  private static let enoughTrials = 5

  init(_ trials: [TrialSpecification], fits: @escaping ([TrialSpecification]) -> Bool) {
    self.trials = trials
    self.fits = fits
  }

  /// False if even the smallest plan does not fit.
  mutating func shrink(usableCores cores: Int, keepsContestants: Bool) -> Bool {
    let seconds = trials.map(\.seconds).max() ?? 0
    giveUpRepetitions(downTo: Self.enoughTrials)
    giveUpSeconds(from: seconds)
    if !keepsContestants {
      giveUp([.peer, .baseline].map { kind in { $0.contestant.kind == kind } })
    }
    giveUp(
      Self.expendable(trials.map(\.size), first: StandardMatrix.size).map { size in
        { $0.size == size }
      })
    giveUp(
      Self.expendable(trials.map(\.threads), first: cores).map { threads in
        { $0.threads == threads }
      })
    giveUp(expendableWorkloads.map { workloads in { workloads.contains($0.workload) } })
    giveUpRepetitions(downTo: 1)
    giveUpSeconds(from: seconds)
    return fits(trials)
  }

  /// One after the other, until it fits; never all that there is.
  private mutating func giveUp(_ steps: [(TrialSpecification) -> Bool]) {
    for isGivenUp in steps where !fits(trials) {
      let rest = trials.filter { !isGivenUp($0) }
      if !rest.isEmpty { trials = rest }
    }
  }

  private mutating func giveUpRepetitions(downTo least: Int) {
    let most = trials.map(\.number).max() ?? 0
    guard most > least else { return }
    giveUp((least..<most).reversed().map { number in { $0.number > number } })
  }

  /// The longest of ever shorter trials that fit, or the shortest.
  private mutating func giveUpSeconds(from longest: Double) {
    var seconds = longest
    setSeconds(seconds)
    while !fits(trials), seconds > Self.leastSeconds {
      seconds = max(Self.leastSeconds, (seconds * 95).rounded(.down) / 100)
      setSeconds(seconds)
    }
  }

  private mutating func setSeconds(_ seconds: Double) {
    for index in trials.indices {
      trials[index].seconds = seconds
      trials[index].warmupSeconds = StandardMatrix.warmupSeconds(forSeconds: seconds)
    }
  }

  /// All but one, least missed first: those between the ends, then the ends; `first` is kept longest,
  /// and where it is missing whatever is nearest.
  static func expendable(_ values: [Int], first: Int) -> [Int] {
    var values = Array(Set(values)).sorted()
    guard let kept = values.min(by: { abs($0 - first) < abs($1 - first) }) else { return [] }
    values.removeAll { $0 == kept }
    let ends = [values.max(), values.min()].compactMap { $0 }.withoutRepetitions
    return values.filter { !ends.contains($0) }.reversed() + ends
  }

  /// One of each collection at a time, as long as it has another.
  private var expendableWorkloads: [[Workload]] {
    let ranked = trials.map(\.contestant.collection).withoutRepetitions.map { collection in
      let quick = StandardMatrix.quickWorkloads(for: collection)
      let own = trials.filter { $0.contestant.collection == collection }.map(\.workload)
      let all = Workload.all(for: collection.subject).map(\.name)
      return own.withoutRepetitions.sorted { one, other in
        Self.rank(one, quick, all) < Self.rank(other, quick, all)
      }
    }
    let most = ranked.map(\.count).max() ?? 0
    return (1..<max(1, most)).reversed().map { place in
      ranked.compactMap { $0.indices.contains(place) ? $0[place] : nil }
    }
  }

  /// Where a workload stands: first those of `--quick`, then the catalogue.
  private static func rank(_ workload: Workload, _ quick: [String], _ all: [String]) -> Int {
    quick.firstIndex(of: workload.name)
      ?? quick.count + (all.firstIndex(of: workload.name) ?? all.count)
  }
}

extension TimeBudget {
  /// What is left of `trials` when each of the shards that they are cut into must fit.
  func leaving(
    _ trials: [TrialSpecification], shards: Int, usableCores: Int, keepsContestants: Bool
  ) throws(CommandError) -> [TrialSpecification] {
    func longest(_ trials: [TrialSpecification]) -> Double {
      let parts = shards == 1 ? [trials] : Shard.parts(of: trials, count: shards)
      return parts.map { $0.reduce(0) { $0 + $1.estimatedSeconds } }.max() ?? 0
    }
    var shrinking = PlanShrinking(trials) { longest($0) <= seconds }
    guard shrinking.shrink(usableCores: usableCores, keepsContestants: keepsContestants) else {
      throw refusal(smallestSeconds: longest(shrinking.trials))
    }
    return shrinking.trials
  }
}
