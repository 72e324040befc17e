import Foundation

/// Ctrl-C and the polite request to end, both once.
package enum Interruption {
  /// Calls `action` on a thread of its own at the first of the signals; a second one ends at once.
  package static func observe(_ action: @escaping @Sendable () -> Never) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return }
    let reading = ends[0]
    pipeEnd = ends[1]
    for number in [SIGINT, SIGTERM] {
      signal(number) { number in
        // Only what a signal handler may call.
        signal(number, SIG_DFL)
        var byte: UInt8 = 0
        _ = write(pipeEnd, &byte, 1)
      }
    }
    Thread.detachNewThread {
      var byte: UInt8 = 0
      while read(reading, &byte, 1) < 0 && errno == EINTR {}
      action()
    }
  }
}

// Unsafe: written once before the handlers that read it are installed; a handler can capture nothing.
nonisolated(unsafe) private var pipeEnd: Int32 = -1
