import TerminalIO
import Testing

@testable import weakbench

@Suite struct ProgressBarTests {
  private static let bar = ProgressBar(
    done: 36, total: 1266, secondsLeft: 861.2, label: "dictionary lock-free read-heavy ×4")

  @Test func `it shows what is done, the time left and what comes next`() {
    #expect(
      Self.bar.text(width: 100)
        == "░░░░░░░░░░░░░░░░░░░░  36/1,266  14 min 22 s left  dictionary lock-free read-heavy ×4")
  }

  @Test func `it fits on the line`() {
    for width in [0, 1, 10, 40, 79, 80, 81] {
      #expect(Self.bar.text(width: width).count <= max(1, width))
    }
  }

  @Test func `it fills as trials are done`() {
    let half = ProgressBar(done: 1, total: 2, secondsLeft: 0, label: "x").text(width: 80)
    #expect(half == "██████████░░░░░░░░░░  1/2  0 s left  x")
  }

  @Test func `the time left follows how long the beginning took`() {
    var left = TimeLeft(estimatedSeconds: 10)
    #expect(left.seconds(afterElapsed: 0) == 10)
    left.finish(estimatedSeconds: 2)
    #expect(left.seconds(afterElapsed: 4) == 16)
    left.finish(estimatedSeconds: 8)
    #expect(left.seconds(afterElapsed: 20) == 0)
  }
}
