import TerminalIO
import Charts
import Choosing
import Reporting
import WeakCollections

/// What `choose` answers, for people.
struct ChoiceText {
  let report: ChoiceReport
  /// Whether it shows every backend's costs, and the rows.
  let explains: Bool

  private var recommendation: Recommendation { report.recommendation }

  var text: String {
    let recommendation = recommendation
    var lines = ["\(recommendation.backend.rawValue)\(costs)", "asked: \(question)"]
    if let next = recommendation.ranking.dropFirst().first, let margin = recommendation.margin {
      lines.append("next: \(next.backend.rawValue), \(NumberText.amount(margin)) times as dear")
    }
    if !recommendation.isDecided {
      let names = recommendation.undecidedBetween.map(\.rawValue).joined(separator: ", ")
      lines.append("undecided between: \(names); their trials overlap, or differ by noise")
    }
    if !recommendation.excess.isWithin {
      lines.append("outside what was measured: \(recommendation.excess)")
    }
    lines.append("why: \(recommendation.reason)")
    if explains { lines += explanation }
    lines.append("to paste, the type or the trait that makes it the default:")
    lines += report.paste.map { "  \($0)" }
    return lines.joined(separator: "\n")
  }

  private var costs: String {
    guard let first = recommendation.ranking.first else { return "" }
    return [
      (", about \(Self.range(first.nanosecondsPerOperation)) ns an operation"),
      report.objective == .p99 ? first.p99Nanoseconds.map { ", p99 \(Self.range($0)) ns" } : nil,
      first.bytesPerEntry.map { ", \(Self.range($0)) bytes an entry" },
    ].compactMap(\.self).joined()
  }

  private var explanation: [String] {
    let table = TextTable(
      columns: ["BACKEND", "NS/OP", "P99 NS", "BYTES/ENTRY"].map { .init(title: $0) },
      rows: recommendation.ranking.map { cost in
        [cost.backend.rawValue]
          + [cost.nanosecondsPerOperation, cost.p99Nanoseconds, cost.bytesPerEntry].map { range in
            range.map(Self.range) ?? NumberText.missing
          }
      })
    let rows =
      report.rows.isEmpty
      ? "the calibration that is compiled in" : report.rows.joined(separator: " ")
    return table.lines.map { "  \($0)" } + ["rows: \(rows)"]
  }

  /// The median and, where trials differ, the best and the worst.
  private static func range(_ cost: CostRange) -> String {
    let median = NumberText.amount(cost.median)
    guard cost.low < cost.high else { return median }
    return "\(median) (\(NumberText.amount(cost.low))–\(NumberText.amount(cost.high)))"
  }

  private var question: String {
    let profile = report.profile
    let shares = profile.shares
    let mix = [
      ("read", shares.read), ("insert", shares.insert), ("update", shares.update),
      ("remove", shares.remove), ("iterate", shares.iterate),
    ].filter { $0.1 > 0 }.map { "\($0.0)=\(NumberText.short($0.1))" }.joined(separator: ",")
    return [
      profile.collection.rawValue, profile.workload, mix,
      "\(profile.threads) thread\(profile.threads == 1 ? "" : "s")",
      "\(profile.cores) core\(profile.cores == 1 ? "" : "s")", "size \(profile.size)",
      profile.liveFraction < 1 ? "live \(NumberText.short(profile.liveFraction))" : nil,
      profile.churn > 0 ? "churn \(NumberText.short(profile.churn))" : nil,
      profile.keyDistribution == WorkloadProfile.uniformKeys
        ? nil : "keys \(profile.keyDistribution)",
      profile.memoryWeight > 0 ? "memory weight \(NumberText.short(profile.memoryWeight))" : nil,
      profile.synchronousOnly ? "without await" : nil,
      report.objective == .throughput ? nil : "cheap in \(report.objective.rawValue)",
    ].compactMap(\.self).joined(separator: ", ")
  }
}
