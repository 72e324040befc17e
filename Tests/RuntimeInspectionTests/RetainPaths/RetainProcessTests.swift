import CRetainFaults
import Foundation
import RuntimeInspection
import Testing

/// In processes that are not as usual.
@Suite(.serialized, .enabled(if: RetainSearch.capability == .available))
struct RetainProcessTests {
  /// Whether a cycle is found, by one of a few searches.
  private static func findsCycle() -> Bool {
    let holder = Holder()
    holder.other = holder
    defer { holder.letGo() }
    return findPatiently(holder).path?.edges.map(\.label) == [".other"]
  }

  @Test func `a process without standard files finds a cycle`() async {
    await #expect(processExitsWith: .success) {
      for file: Int32 in 0...2 { close(file) }
      if !Self.findsCycle() { exit(2) }
    }
  }

  @Test func `a process whose children nobody waits for finds a cycle`() async {
    await #expect(processExitsWith: .success) {
      signal(SIGCHLD, SIG_IGN)
      if !Self.findsCycle() { exit(2) }
    }
  }

  /// Swift Testing is told of any child for its exit tests: one that stays would keep it from all others.
  @Test func `a child that takes long to end is waited for, and none stays`() async {
    await #expect(processExitsWith: .success) {
      crf_end_children(20)
      for _ in 0..<20_000 {
        var end = siginfo_t()
        let options = WEXITED | WNOHANG | WNOWAIT
        if waitid(P_ALL, 0, &end, options) == -1 && errno == ECHILD { exit(EXIT_SUCCESS) }
        usleep(1000)
      }
      exit(2)
    }
  }

  @Test func `a signal that the program handles does not disturb a search`() async {
    await #expect(processExitsWith: .success) {
      signal(SIGALRM) { _ in }
      var interval = itimerval()
      interval.it_interval.tv_usec = 500
      interval.it_value.tv_usec = 500
      setitimer(.init(ITIMER_REAL.rawValue), &interval, nil)
      for _ in 0..<20 where !Self.findsCycle() { exit(2) }
    }
  }
}
