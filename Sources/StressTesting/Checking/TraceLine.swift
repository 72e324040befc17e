import Interleaving

/// One step of a thread of a scenario, as text.
package struct TraceLine: Hashable, Sendable {
  package var thread: Int
  package var text: String
  /// Whether the line is a note of the scenario, not a step.
  package var isNote = false

  package init(thread: Int, text: String) {
    self.thread = thread
    self.text = text
  }
}

extension [TraceLine] {
  /// Creates the trace of an execution.
  ///
  /// Omits thread 0, the scenario, which creates everything before the threads run, and releases it
  /// afterwards.
  init(_ steps: [Step]) {
    self = steps.filter { $0.thread > 0 }.map { step in
      let isNote = step.kind == .mark && step.site.file.isEmpty
      // The description begins with the thread's number, which counts the scenario as thread 0.
      let text = step.description.dropFirst("\(step.thread) ".count)
      var line = TraceLine(
        thread: step.thread - 1, text: isNote ? step.site.function : String(text))
      line.isNote = isNote
      return line
    }
  }
}

extension [TraceLine] {
  /// The trace, divided into runs of consecutive steps of one thread. Each run has its number of
  /// steps and its last step.
  package var runs: [(thread: Int, count: Int, last: String)] {
    lazy.filter { !$0.isNote }.reduce(into: []) { runs, line in
      if let last = runs.last, last.thread == line.thread {
        runs[runs.count - 1] = (line.thread, last.count + 1, line.text)
      } else {
        runs.append((line.thread, 1, line.text))
      }
    }
  }

  /// The runs of the schedule as lines, each with its last step, below a title.
  package var scheduleLines: [String] {
    // A schedule that is not minimized can switch at every step.
    let longest = 30
    let switches = Swift.max(0, runs.count - 1)
    let title = "The schedule, with \(switches) \(switches == 1 ? "switch" : "switches"):"
    let lines = runs.suffix(longest).map { run in
      let count = "\(run.count) \(run.count == 1 ? "step" : "steps")"
      return "  thread \(run.thread), \(count) to  \(run.last)"
    }
    return [title] + (lines.count < runs.count ? ["  …"] : []) + lines
  }
}
