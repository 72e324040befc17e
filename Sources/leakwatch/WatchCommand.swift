import TerminalIO
import ArgumentParser
import LeakMonitoring

/// Shows which classes of a program leak, while it runs.
struct WatchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch",
    abstract: "Watch a program's leaks: classes, counts and their history, live.",
    discussion: WatchHelp.text)

  /// How often the table is drawn, and a file looked at.
  private static let interval: Duration = .milliseconds(100)

  @OptionGroup var options: WatchOptions

  func run() async throws {
    let plan = try WatchPlan(options)
    let draws = Terminal.isFree(of: .new(path: "")) && !options.noProgress && !options.once
    switch plan.source {
    case .demo: try await watchDemo(plan, draws: draws)
    case .file(let path, let isFollowed):
      let follower = try LineFollower(path)
      let journal = WatchJournal(plan, WatchedLeaks(), draws: draws)
      Interruption.observe { journal.end(interrupted: true) }
      try await watch(follower, of: path, isFollowed: isFollowed, plan, journal)
    }
  }

  private func watchDemo(_ plan: WatchPlan, draws: Bool) async throws {
    // A release build watches for nothing unless told to.
    MemoryLeakMonitor.isEnabled = true
    let (start, origin) = (ContinuousClock.now, LeakRecord.now)
    let journal = WatchJournal(plan, WatchedLeaks(startedAt: origin), draws: draws)
    Interruption.observe { journal.end(interrupted: true) }
    let demo = LeakingDemo { leak in
      journal.note(LeakRecord(leak, millisecondsSince1970: LeakRecord.now))
    }
    while let seconds = secondsIfGoingOn(plan, since: start) {
      demo.step()
      journal.note(liveCounts: demo.liveCounts, at: seconds)
      journal.draw()
      try await Task.sleep(for: Self.interval)
    }
    journal.end()
  }

  private func watch(
    _ follower: LineFollower, of path: String, isFollowed: Bool, _ plan: WatchPlan,
    _ journal: WatchJournal
  ) async throws {
    let start = ContinuousClock.now
    var isTold = false
    do {
      repeat {
        for line in follower.newLines() { try journal.note(line, of: path) }
        guard isFollowed else { break }
        if !isTold {
          Console.note("following \(path.quotedOnOneLine); Ctrl-C ends it with the table")
          isTold = true
        }
        journal.draw()
        try await Task.sleep(for: Self.interval)
      } while secondsIfGoingOn(plan, since: start) != nil
      if !isFollowed, let line = follower.unfinishedLine() { try journal.note(line, of: path) }
    } catch let error as CommandError {
      journal.end(as: error)
    }
    journal.end()
  }

  /// How many seconds it has run; nil if that is as long as it shall.
  private func secondsIfGoingOn(_ plan: WatchPlan, since start: ContinuousClock.Instant)
    -> Double?
  {
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    return seconds < plan.seconds ?? .infinity ? seconds : nil
  }
}

extension WatchJournal {
  fileprivate func note(_ line: LineFollower.Line, of path: String) throws(CommandError) {
    guard !line.bytes.allSatisfy(" \t\r".utf8.contains) else { return }
    do {
      note(try LeakRecord(jsonLine: line.bytes, of: path, number: line.number))
    } catch {
      throw CommandError(error, allowed: "")
    }
  }
}
