import ArgumentParser
import Foundation
import LeakMonitoring
import LeakMonitoringReporters
import Metrics
import NIOCore
import NIOPosix
import RuntimeInspection

@main
struct EchoServer: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Echoes bytes over TCP on 127.0.0.1, and reports its own leaks.",
    discussion: """
      Appends each leak to leaks.jsonl in DIRECTORY. SIGUSR1 writes the metrics to metrics.txt,
      SIGUSR2 appends a heap snapshot to heap.jsonl, SIGTERM ends the server.
      """)

  @Argument(help: "The folder of leaks.jsonl, heap.jsonl and metrics.txt; it must exist.")
  var directory = "."

  @Option(help: "The port; 0 for one that is free.")
  var port = 0

  @Option(help: "Let each session whose number is a multiple of N leak; 0 for none.")
  var leakEvery = 0

  @Option(help: "The number of seconds in which a closed session must be deallocated.")
  var grace = 1.0

  func validate() throws {
    guard (0...65535).contains(port) else { throw ValidationError("--port is out of range.") }
    guard leakEvery >= 0 else { throw ValidationError("--leak-every is negative.") }
    guard grace > 0, grace <= 3600 else { throw ValidationError("--grace is out of range.") }
  }

  func run() async throws {
    let metrics = TextMetrics()
    MetricsSystem.bootstrap(metrics)
    let gauges = MetricsLeakReporter()
    let monitor = try startMonitor(gauges)
    let triggers = [
      SignalTrigger(SIGUSR1) { [directory] in
        gauges.sample(monitor)
        try? metrics.text.write(
          toFile: directory + "/metrics.txt", atomically: true, encoding: .utf8)
      },
      HeapSnapshot.takeOnSignal(SIGUSR2) { [directory] snapshot in
        do { try snapshot.get().append(toFile: directory + "/heap.jsonl") } catch { print(error) }
      },
    ]
    try await serve()
    withExtendedLifetime(triggers) {}
    // Waits for the grace periods of the sessions that the end of the server closed.
    await monitor.settle()
  }

  /// Sets the monitor's reporter, which turns the monitor on in a release build.
  private func startMonitor(_ gauges: MetricsLeakReporter) throws -> MemoryLeakMonitor {
    let monitor = MemoryLeakMonitor.shared
    monitor.policy = .graced(.seconds(grace))
    monitor.retainPaths = .shown()
    let file = try JSONLinesLeakReporter(
      appendingTo: directory + "/leaks.jsonl", rotatingAt: 64 << 10, keeping: 9)
    monitor.reporter = .all(file, gauges)
    return monitor
  }

  private func serve() async throws {
    let sessions = SessionFactory(leakEvery: leakEvery, grace: .seconds(grace))
    let group = MultiThreadedEventLoopGroup(numberOfThreads: System.coreCount)
    let server = try await ServerBootstrap(group: group)
      .serverChannelOption(.backlog, value: 256)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(sessions.make())
        }
      }
      .bind(host: "127.0.0.1", port: port).get()
    let (signals, received) = AsyncStream.makeStream(of: Void.self)
    let triggers = [SIGTERM, SIGINT].map { SignalTrigger($0) { received.yield() } }
    print("listening on port \(server.localAddress?.port ?? 0)")
    fflush(nil)
    for await _ in signals { break }
    withExtendedLifetime(triggers) {}
    // Closes all channels, and so ends all sessions.
    try await group.shutdownGracefully()
    print("served \(sessions.count) sessions")
  }
}
