import TerminalIO
import ArgumentParser
import Benchmarking
import Foundation

/// One of the processes of `run --forks`: makes the trials that standard input names, one after the other.
///
/// It ends when standard input does, in the middle of a trial too: so no child outlives its parent,
/// whatever ended that.
package struct ForkCommand: AsyncParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "fork", abstract: "Make the trials that run --forks sends.", shouldDisplay: false)

  package init() {}

  package func run() async throws {
    // A terminal and a supervisor send them to this process too, but the parent decides what becomes of
    // the run.
    for number in [SIGINT, SIGTERM] { signal(number, SIG_IGN) }
    for await line in Self.orders() {
      guard let trial = ForkLine.value(TrialSpecification.self, in: line) else {
        throw CommandError.usage("fork reads no such trial (allowed: what run --forks sends)")
      }
      let answer = ForkLine.text(await Self.answer(to: trial))
      try OutputFile(opening: .standardOutput).write(answer + "\n")
    }
  }

  private static func answer(to trial: TrialSpecification) async -> ForkAnswer {
    do {
      return .result(try await trial.run())
    } catch {
      return .failure(error.reason)
    }
  }

  /// Read by a thread that does nothing else, so that the end is noticed at any time.
  private static func orders() -> AsyncStream<String> {
    let (orders, order) = AsyncStream.makeStream(of: String.self)
    Thread.detachNewThread {
      var reader = LineReader(STDIN_FILENO)
      while let line = reader.next() { order.yield(line) }
      // Not `exit`: other threads may be in the middle of a trial.
      _exit(ExitStatus.fine.rawValue)
    }
    return orders
  }
}
