import Benchmarking
import Charts
import Measurements
import Reporting
import WeakCollections
import Workloads

/// What a larger plan has and a smaller one has not, for people.
struct PlanRemainder {
  let larger: [TrialSpecification]
  let smaller: [TrialSpecification]

  /// One line's worth; empty if nothing is missing.
  var text: String {
    [
      repetitions, seconds, contestants, values("sizes", \.size), values("threads", \.threads),
      workloads,
    ]
    .compactMap { $0 }.joined(separator: "; ")
  }

  private var repetitions: String? {
    guard let most = larger.map(\.number).max(), let left = smaller.map(\.number).max(), left < most
    else { return nil }
    return "repetition\(left + 1 == most ? " \(most)" : "s \(left + 1) to \(most)")"
  }

  private var seconds: String? {
    guard let asked = larger.first?.seconds, let left = smaller.first?.seconds, left < asked else {
      return nil
    }
    return "\(NumberText.amount(asked - left)) of \(NumberText.amount(asked)) s of each trial"
  }

  /// Together, where they are of one kind.
  private var contestants: String? {
    let left = Set(smaller.map(\.contestant.name))
    let gone = larger.map(\.contestant).filter { !left.contains($0.name) }
    let texts = Measurement.Kind.allCases.compactMap { kind in
      let names = gone.filter { $0.kind == kind }.map(\.name).withoutRepetitions
      return names.isEmpty ? nil : "\(kind.rawValue)s \(names.sorted().joined(separator: ", "))"
    }
    return texts.isEmpty ? nil : texts.joined(separator: "; ")
  }

  private func values(_ name: String, _ value: (TrialSpecification) -> Int) -> String? {
    let gone = Set(larger.map(value)).subtracting(smaller.map(value)).sorted()
    return gone.isEmpty ? nil : "\(name) \(gone.map { "\($0)" }.joined(separator: ", "))"
  }

  private var workloads: String? {
    let texts = larger.map(\.contestant.collection).withoutRepetitions.compactMap { collection in
      func names(_ trials: [TrialSpecification]) -> [String] {
        trials.filter { $0.contestant.collection == collection }.map(\.workload.name)
          .withoutRepetitions
      }
      let left = names(smaller)
      let gone = names(larger).filter { !left.contains($0) }.sorted()
      return gone.isEmpty ? nil : "\(collection.rawValue) workloads \(gone.joined(separator: ", "))"
    }
    return texts.isEmpty ? nil : texts.joined(separator: "; ")
  }
}
