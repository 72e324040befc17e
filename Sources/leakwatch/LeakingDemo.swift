import LeakMonitoring

/// A small program with a leak of each kind, and with classes that have none.
///
/// Each step is a moment of its life: a session whose delegate keeps it leaks now and then, a screen is
/// closed but kept for a while, images fill a cache that is emptied, and requests come and go.
final class LeakingDemo {
  private final class Session {
    var delegate: Session?
  }

  private final class Screen {}
  private final class Image {}
  private final class Request {}

  /// How many steps a screen lives after it was closed.
  static let screenDelay = 10

  private let monitor = MemoryLeakMonitor()
  private var steps = 0
  /// Whose cycles are broken at the end.
  private var leaked: [Session] = []
  private var closed: [(step: Int, screen: Screen)] = []
  private var images: [Image] = []
  private var requests: [Request] = []

  /// - Parameter report: is told what the monitor finds, on any thread.
  init(_ report: @escaping @Sendable (LeakReport) -> Void) {
    monitor.reporter = .closure(report)
  }

  deinit {
    // So that the demo itself, which tests run too, leaves nothing behind.
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
    // The mistake: a delegate that is not weak, and here is the session itself.
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
