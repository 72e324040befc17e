import Charts

/// How far a run is, on one line.
package struct ProgressBar: Equatable, Sendable {
  package var done: Int
  package var total: Int
  package var secondsLeft: Double
  /// What comes next.
  package var label: String

  package init(done: Int, total: Int, secondsLeft: Double, label: String) {
    self.done = done
    self.total = total
    self.secondsLeft = secondsLeft
    self.label = label
  }

  /// At most `width` columns; the label is what is cut.
  package func text(width: Int) -> String {
    let cells = 20
    let full = total == 0 ? cells : done * cells / total
    let bar = String(repeating: "█", count: full) + String(repeating: "░", count: cells - full)
    let count = "\(NumberText.count(done))/\(NumberText.count(total))"
    let left = "\(NumberText.duration(seconds: secondsLeft)) left"
    let line = "\(bar)  \(count)  \(left)  \(label)"
    return line.count <= width ? line : line.prefix(max(0, width - 1)) + "…"
  }
}

/// Guesses how long the rest of a run takes, from how its beginning compared with the estimate.
package struct TimeLeft: Sendable {
  private var doneEstimate = 0.0
  private var leftEstimate: Double

  package init(estimatedSeconds: Double) {
    leftEstimate = estimatedSeconds
  }

  package mutating func finish(estimatedSeconds: Double) {
    doneEstimate += estimatedSeconds
    leftEstimate = max(0, leftEstimate - estimatedSeconds)
  }

  package func seconds(afterElapsed elapsed: Double) -> Double {
    doneEstimate > 0 ? leftEstimate * elapsed / doneEstimate : leftEstimate
  }
}
