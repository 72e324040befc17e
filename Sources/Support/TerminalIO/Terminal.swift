import Foundation

/// The terminal that standard error may be.
package enum Terminal {
  /// Whether there is one where a line may be drawn over, because no rows go there.
  package static func isFree(of destination: OutputDestination) -> Bool {
    let type = ProcessInfo.processInfo.environment["TERM"]
    let showsRows = destination == .standardOutput && isatty(STDOUT_FILENO) == 1
    return isatty(STDERR_FILENO) == 1 && type != nil && type != "dumb" && !showsRows
  }

  package static var width: Int { size.map { Int($0.ws_col) } ?? 80 }

  package static var height: Int { size.map { Int($0.ws_row) } ?? 24 }

  private static var size: winsize? {
    var size = winsize()
    let isKnown = ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0
    return isKnown && size.ws_col > 0 && size.ws_row > 0 ? size : nil
  }

  /// Replaces the line that the cursor is on.
  package static func draw(_ line: String) {
    Console.writeError("\r\(line)\u{1B}[K")
  }

  package static func clearLine() {
    draw("")
  }
}
