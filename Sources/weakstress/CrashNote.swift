import TerminalIO
import Foundation
import StressTesting
import WeakCollections

/// Says what repeats a run that is about to end by a trap or a fault, which is a finding too.
enum CrashNote {
  /// Room for the longest line; longer ones are cut.
  private static let capacity = 8192

  static func install() {
    text = .allocate(capacity: capacity)
    for number in [SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGFPE, SIGABRT] {
      signal(number) { _ in
        // Only what a signal handler may call.
        if textLength > 0 { _ = write(STDERR_FILENO, text, textLength) }
        _exit(ExitStatus.found.rawValue)
      }
    }
  }

  /// What is said if the process ends before the next call.
  static func expect(_ replay: ReplayString, _ subject: Subject) {
    let line =
      "weakstress: found: \(subject) ends the process; repeat it:\n"
      + "  weakstress replay --backend \(subject.name) --collection \(subject.collection.rawValue) "
      + "\(replay.text)\n"
    let bytes = Array(line.utf8.prefix(capacity))
    textLength = 0
    for (index, byte) in bytes.enumerated() { text[index] = byte }
    textLength = bytes.count
  }
}

// Unsafe: written while no scenario runs, read by a handler, which can capture nothing.
nonisolated(unsafe) private var text = UnsafeMutablePointer<UInt8>.allocate(capacity: 1)
nonisolated(unsafe) private var textLength = 0
