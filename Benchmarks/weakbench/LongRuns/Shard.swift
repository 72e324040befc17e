import BenchmarkCommands
import TerminalIO
import Benchmarking
import Charts
import Measurements
import Reporting
import Workloads

/// One of several parts of a plan, each for a machine of its own.
///
/// Every part has whole comparisons: all contestants that meet the same work, in all rounds. The parts
/// together are the plan, and no trial is in two.
struct Shard: Hashable, Sendable {
  /// From 1.
  let number: Int
  let count: Int

  /// As in the CSV, where `2/4` might be taken for a date.
  var name: String { "\(number)-of-\(count)" }

  private static let most = 10_000

  init?(_ number: Int, of count: Int) {
    guard (1...Self.most).contains(count), (1...count).contains(number) else { return nil }
    self.number = number
    self.count = count
  }

  /// What a row says; nil for anything else.
  init?(name: String) {
    guard let match = name.wholeMatch(of: /(\d{1,5})-of-(\d{1,5})/), let number = Int(match.1),
      let count = Int(match.2)
    else { return nil }
    self.init(number, of: count)
  }

  /// What somebody typed after `--shard`: `2/4`; nil for nothing.
  init?(option text: String?) throws(CommandError) {
    guard let text else { return nil }
    guard let match = text.wholeMatch(of: /(\d{1,5})\/(\d{1,5})/), let number = Int(match.1),
      let count = Int(match.2), let shard = Shard(number, of: count)
    else {
      throw .usage(
        "--shard \(text.quotedOnOneLine) (allowed: I/N, the part I of 1 to N, N at most \(Self.most), "
          + "such as 2/4)")
    }
    self = shard
  }

  /// This part of `trials`, in their order.
  func part(of trials: [TrialSpecification]) throws(CommandError) -> [TrialSpecification] {
    let parts = Self.parts(of: trials, count: count)
    guard parts.allSatisfy({ !$0.isEmpty }) else {
      let comparisons = Set(trials.map(\.comparison)).count
      throw .usage(
        "--shard \(number)/\(count): the plan has \(comparisons) comparisons, which stay whole "
          + "(allowed: at most as many shards)")
    }
    return parts[number - 1]
  }

  /// About equally long: the longest comparison that is left goes to the part that has least.
  static func parts(of trials: [TrialSpecification], count: Int) -> [[TrialSpecification]] {
    let comparisons = trials.map(\.comparison)
    var seconds: [TrialSpecification: Double] = [:]
    for (trial, comparison) in zip(trials, comparisons) {
      seconds[comparison, default: 0] += trial.estimatedSeconds
    }
    // Stable, so that every machine comes to the same parts.
    let order = comparisons.withoutRepetitions.enumerated()
      .map { (comparison: $1, place: $0, seconds: seconds[$1] ?? 0) }
      .sorted { ($1.seconds, $0.place) < ($0.seconds, $1.place) }
    var sums = [Double](repeating: 0, count: count)
    var numbers: [TrialSpecification: Int] = [:]
    for (comparison, _, seconds) in order {
      let least = sums.indices.min { (sums[$0], $0) < (sums[$1], $1) } ?? 0
      sums[least] += seconds
      numbers[comparison] = least
    }
    var parts = [[TrialSpecification]](repeating: [], count: count)
    for (trial, comparison) in zip(trials, comparisons) {
      parts[numbers[comparison] ?? 0].append(trial)
    }
    return parts
  }
}

extension TrialSpecification {
  /// The same for all trials that are compared with each other: who is timed and in which round does not
  /// matter, nor at which share of a capacity, which is found once for all.
  var comparison: TrialSpecification {
    var comparison = self
    comparison.contestant = .baseline(for: contestant.collection)
    comparison.measuresThroughputAlone = false
    comparison.number = 1
    comparison.fork = 1
    comparison.seed = .fixed
    comparison.pace.loadPercent = nil
    return comparison
  }
}
