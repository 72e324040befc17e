/// A server that responds when a test has it respond.
final class SlowServer: Sendable {
  private let silence = AsyncStream.makeStream(of: Never.self)

  /// Returns when the server responds, and throws if the task is cancelled before.
  func response() async throws -> String {
    for await _ in silence.stream {}
    try Task.checkCancellation()
    return "response"
  }

  func respond() { silence.continuation.finish() }
}
