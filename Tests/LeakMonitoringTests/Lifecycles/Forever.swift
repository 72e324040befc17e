/// Waits until it is cancelled, and throws then.
func forever() async throws {
  let (stream, end) = AsyncStream.makeStream(of: Never.self)
  await withTaskCancellationHandler {
    for await _ in stream {}
  } onCancel: {
    end.finish()
  }
  throw CancellationError()
}

extension Result where Failure == any Error {
  /// Whether it is a `CancellationError`.
  var isCancelled: Bool {
    if case .failure(let error) = self { error is CancellationError } else { false }
  }
}
