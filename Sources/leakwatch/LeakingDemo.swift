import LeakMonitoring
import LeakReports
import TerminalIO

/// A small program with a leak, a late deallocation, and classes that do not leak. It is the only
/// part of `leakwatch` that runs a monitor.
///
/// Every few steps, a session that holds itself as its delegate leaks, and a screen closes and
/// survives for some steps. Images fill a cache until the program empties it, and requests come and
/// go.
final class LeakingDemo {
  private final class Session {
    var delegate: Session?
  }

  private final class Screen {}
  private final class Image {}
  private final class Request {}

  /// The number of steps that a closed screen survives.
  static let screenDelay = 10

  private let monitor = MemoryLeakMonitor()
  private var steps = 0
  /// The leaked sessions, whose cycles `deinit` breaks.
  private var leaked: [Session] = []
  private var closed: [(step: Int, screen: Screen)] = []
  private var images: [Image] = []
  private var requests: [Request] = []

  /// Creates the program.
  ///
  /// - Parameter report: Receives the reports of the monitor, on any thread.
  init(_ report: @escaping @Sendable (LeakReport) -> Void) {
    monitor.reporter = .closure(report)
  }

  deinit {
    // Tests also run the demo, so it must not leak after its end.
    for session in leaked { session.delegate = nil }
  }

  var liveCounts: [String: Int] { monitor.liveCounts }

  func step() {
    steps += 1
    if steps.isMultiple(of: 8) { openSession() }
    if steps % 20 == 5 { closeScreen() }
    closed.removeAll { $0.step + Self.screenDelay <= steps }
    cacheImage()
    serveRequests()
  }

  private func openSession() {
    let session = Session()
    // The defect: the delegate is strong, and is the session itself.
    session.delegate = session
    leaked.append(session)
    monitor.validate(session, max: 1)
  }

  private func closeScreen() {
    let screen = Screen()
    monitor.validate(screen, max: 4)
    closed.append((steps, screen))
    monitor.expectDeallocation(of: screen, within: .milliseconds(200))
  }

  private func cacheImage() {
    if images.count == 30 { images.removeAll() }
    let image = Image()
    monitor.validate(image, max: 50)
    images.append(image)
  }

  private func serveRequests() {
    requests = (0..<(steps * 7 % 9)).map { _ in Request() }
    for request in requests { monitor.validate(request, max: 16) }
  }
}

extension WatchCommand {
  func watchDemo(_ plan: WatchPlan, draws: Bool) async throws {
    // Monitors are off in release builds.
    MemoryLeakMonitor.isEnabled = true
    let (start, origin) = (ContinuousClock.now, LeakRecord.now)
    let journal = WatchJournal(plan, WatchedLeaks(startedAt: origin), draws: draws)
    Interruption.observe { journal.end(interrupted: true) }
    let demo = LeakingDemo { leak in
      journal.note(LeakRecord(leak, millisecondsSince1970: LeakRecord.now))
    }
    // Takes the first step, which the table needs, even if a busy machine has already used up a
    // short time limit.
    var seconds: Double? = 0
    while let now = seconds {
      demo.step()
      journal.note(liveCounts: demo.liveCounts, at: now)
      journal.draw()
      try await Task.sleep(for: Self.interval)
      seconds = secondsIfGoingOn(plan, since: start)
    }
    journal.end()
  }
}
