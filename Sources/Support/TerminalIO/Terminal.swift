import Charts
import Foundation

/// The terminal behind standard error, if there is one.
package enum Terminal {
  /// Whether standard error is a terminal whose last line a progress bar may overwrite while rows
  /// go to `destination`.
  package static func isFree(of destination: OutputDestination) -> Bool {
    let type = ProcessInfo.processInfo.environment["TERM"]
    let showsRows = destination == .standardOutput && isatty(STDOUT_FILENO) == 1
    return isatty(STDERR_FILENO) == 1 && type != nil && type != "dumb" && !showsRows
  }

  /// The number of columns; 80 if standard error is no terminal.
  package static var width: Int { size.map { Int($0.ws_col) } ?? 80 }

  /// The number of lines; 24 if standard error is no terminal.
  package static var height: Int { size.map { Int($0.ws_row) } ?? 24 }

  private static var size: winsize? {
    var size = winsize()
    let isKnown = ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0
    return isKnown && size.ws_col > 0 && size.ws_row > 0 ? size : nil
  }

  /// Replaces the line under the cursor.
  package static func draw(_ line: String) {
    Console.writeError("\r\(line)\u{1B}[K")
  }

  /// Clears the line under the cursor.
  package static func clearLine() {
    draw("")
  }
}

/// The progress of a run, on one line.
package struct ProgressBar: Equatable, Sendable {
  package var done: Int
  package var total: Int
  package var secondsLeft: Double
  /// Names the trial that runs next.
  package var label: String

  package init(done: Int, total: Int, secondsLeft: Double, label: String) {
    self.done = done
    self.total = total
    self.secondsLeft = secondsLeft
    self.label = label
  }

  /// Returns the bar in at most `width` columns; truncates the label if necessary.
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

/// An estimate of the remaining time of a run.
///
/// It is the planned time, scaled by the ratio of actual to planned time so far.
package struct TimeLeft: Sendable {
  private var doneEstimate = 0.0
  private var leftEstimate: Double

  /// - Parameter estimatedSeconds: The planned time of the whole run.
  package init(estimatedSeconds: Double) {
    leftEstimate = estimatedSeconds
  }

  /// Notes that a step has ended whose planned time was `estimatedSeconds`.
  package mutating func finish(estimatedSeconds: Double) {
    doneEstimate += estimatedSeconds
    leftEstimate = max(0, leftEstimate - estimatedSeconds)
  }

  /// Returns the remaining time after `elapsed` seconds of the run.
  package func seconds(afterElapsed elapsed: Double) -> Double {
    doneEstimate > 0 ? leftEstimate * elapsed / doneEstimate : leftEstimate
  }
}

/// The progress bar of a run of many trials, with the time left.
package struct RunProgress: Sendable {
  private let total: Int
  private let isDrawn: Bool
  private let start = ContinuousClock.now
  private var done = 0
  private var timeLeft: TimeLeft

  /// - Parameters:
  ///   - total: The number of trials.
  ///   - estimatedSeconds: The planned time of the whole run.
  ///   - isDrawn: Whether the terminal is free for a bar.
  package init(total: Int, estimatedSeconds: Double, isDrawn: Bool) {
    self.total = total
    self.isDrawn = isDrawn
    timeLeft = TimeLeft(estimatedSeconds: estimatedSeconds)
  }

  /// Draws the bar; nothing is drawn while a trial runs.
  ///
  /// - Parameter label: The description of the next trial.
  package func draw(_ label: String) {
    guard isDrawn else { return }
    let elapsed = (ContinuousClock.now - start) / .seconds(1)
    let bar = ProgressBar(
      done: done, total: total, secondsLeft: timeLeft.seconds(afterElapsed: elapsed), label: label)
    Terminal.draw(bar.text(width: Terminal.width))
  }

  /// Notes that a trial has ended, with or without a result.
  package mutating func finish(estimatedSeconds: Double) {
    done += 1
    timeLeft.finish(estimatedSeconds: estimatedSeconds)
  }

  /// Clears the bar before other output.
  package func clear() {
    if isDrawn { Terminal.clearLine() }
  }
}
