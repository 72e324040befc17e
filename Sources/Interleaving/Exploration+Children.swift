#if Interleaving
  import CInterleaving

  extension Exploration {
    /// Why nothing could be explored.
    public enum ChildError: Error, Hashable {
      /// The system starts no further process.
      case noProcess
    }

    /// How far an exploration has come.
    public struct Progress: Sendable {
      public var executions: UInt64
      public var steps: UInt64
      public var elapsed: Duration
    }

    /// Does what `run` does in forked children, `batch` executions in each: whatever ends a child
    /// is a failure of the execution it was at.
    ///
    /// A fork copies the calling thread alone. What other threads hold at that moment, such as a
    /// lock of the runtime, a child never gets, so explore while no other thread does much.
    ///
    /// - Parameters:
    ///   - timeLimit: after this time no further execution begins.
    ///   - hangLimit: after this time without a step, the execution hangs.
    ///   - progress: called some times a second; false ends the exploration.
    public func runInChildren(
      batch: Int = 1_000_000, timeLimit: Duration? = nil, hangLimit: Duration = .seconds(10),
      progress: (Progress) -> Bool = { _ in true }, _ scenario: @escaping (Execution) -> Void
    ) throws(ChildError) -> Outcome {
      var error: ChildError?
      let outcome = withEngine(scenario) { engine in
        var watch = ChildWatch(engine, self, timeLimit: timeLimit, hangLimit: hangLimit)
        do throws(ChildError) {
          return try watch.outcome(batch: batch, progress: progress)
        } catch let caught {
          error = caught
          return engine.outcome(of: self, elapsed: .zero)
        }
      }
      if let error { throw error }
      return outcome
    }
  }
#endif
