import TerminalIO
import LeakMonitoring

/// What `watch` says and writes at its end.
struct WatchEnding {
  private let plan: WatchPlan
  private let watched: WatchedLeaks
  private let judgement: LeakJudgement?

  init(_ plan: WatchPlan, _ watched: WatchedLeaks, on day: CalendarDay = .today) {
    self.plan = plan
    self.watched = watched
    judgement = plan.baseline?.judge(watched.tally, on: day)
  }

  /// With a baseline whether all is as known, else whether a file's program leaks: the demo is to.
  var status: ExitStatus {
    if plan.newBaseline != nil { return .fine }
    if let judgement { return judgement.isFine ? .fine : .found }
    return plan.source == .demo || watched.tally.counts.isEmpty ? .fine : .found
  }

  /// The table, the last message of each leak, and what a baseline makes of them.
  func lines(width: Int) -> [String] {
    let messages = watched.leakMessages.map(\.withoutControls)
    let judged = judgement.map { "\($0)".split(separator: "\n").map { String($0).withoutControls } }
    return [WatchTable(watched).lines(width: width), messages, judged ?? []]
      .filter { !$0.isEmpty }.joined(separator: [""]).map { $0 }
  }

  /// Writes the files that are asked for, each beside its name and then renamed; returns what went wrong.
  func write() -> CommandError? {
    do throws(LeakFileError) {
      if let path = plan.page { try LeakFile.replace(path, with: LeakPage(watched).html) }
      if let path = plan.newBaseline {
        try LeakBaseline(
          of: watched.tally, reason: "known; say why", keeping: plan.baseline
        ).write(to: path)
      }
      return nil
    } catch {
      return CommandError(error, allowed: "")
    }
  }
}

extension LeakPage {
  init(_ watched: WatchedLeaks) {
    self.init(
      subjects: watched.rows.map { subject in
        Subject(
          name: subject.name, live: subject.series.last, max: subject.max, leaked: subject.leaked,
          late: subject.late, history: subject.series.samples.map { ($0.seconds, $0.count) })
      },
      summary: WatchTable(watched).summary, messages: watched.leakMessages)
  }
}
