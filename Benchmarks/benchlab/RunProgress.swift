import TerminalIO

/// The progress bar of a run of many trials.
struct RunProgress: Sendable {
  /// Whether the terminal is free for a bar.
  let isDrawn: Bool
  private let total: Int
  private let start = ContinuousClock.now
  private var done = 0
  private var timeLeft: TimeLeft

  init(total: Int, estimatedSeconds: Double, isDrawn: Bool) {
    self.total = total
    self.isDrawn = isDrawn
    timeLeft = TimeLeft(estimatedSeconds: estimatedSeconds)
  }

  /// Draws the bar; nothing is drawn while a trial runs.
  ///
  /// - Parameter label: The description of the next trial.
  func draw(_ label: String) {
    guard isDrawn else { return }
    let elapsed = (ContinuousClock.now - start) / .seconds(1)
    let bar = ProgressBar(
      done: done, total: total, secondsLeft: timeLeft.seconds(afterElapsed: elapsed), label: label)
    Terminal.draw(bar.text(width: Terminal.width))
  }

  /// Notes that a trial has ended, with or without a result.
  mutating func finish(estimatedSeconds: Double) {
    done += 1
    timeLeft.finish(estimatedSeconds: estimatedSeconds)
  }

  /// Clears the bar before other output.
  func clear() {
    if isDrawn { Terminal.clearLine() }
  }
}
