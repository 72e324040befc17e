/// What is wrong with one execution.
package struct Violation: Sendable {
  package enum Kind: String, Sendable {
    case notLinearizable = "not linearizable"
    case wrongCount = "wrong count"
    case notConserved = "not conserved"
    /// Not all threads ended.
    case hang = "hang"
    /// Found by the managed scheduler: a race, a use after reclaiming, a trap and such.
    case execution = "failed execution"
  }

  package var kind: Kind
  /// One line.
  package var summary: String
  /// nil when the threads did not get far enough to be asked.
  package var recording: Recording?
  package var placement: Placement?
  /// The steps of the threads between their operations, where a scheduler knows them.
  package var trace: [TraceLine] = []

  package init(
    _ kind: Kind, _ summary: String, recording: Recording? = nil, placement: Placement? = nil
  ) {
    self.kind = kind
    self.summary = summary
    self.recording = recording
    self.placement = placement
  }
}

extension Violation {
  /// The trace in runs of one thread: how many steps, and the last of them.
  package var runs: [(thread: Int, count: Int, last: String)] {
    trace.reduce(into: []) { runs, line in
      if let last = runs.last, last.thread == line.thread {
        runs[runs.count - 1] = (line.thread, last.count + 1, line.text)
      } else {
        runs.append((line.thread, 1, line.text))
      }
    }
  }
}

/// How far an order of a history's operations could be found; the numbers are of a recording's operations.
package struct Placement: Hashable, Sendable {
  /// An operation in its place, and the state that it leaves.
  package struct Point: Hashable, Sendable {
    /// nil for what was found at rest, after all operations.
    package var operation: Int?
    /// Within the operation's call and return.
    package var stamp: UInt64
    package var state: String
  }

  /// What was checked alone, such as one key.
  package var partition: String
  /// The longest order that the model allows.
  package var points: [Point]
  /// Those that could come next, and are not allowed to; nil is what was found at rest.
  package var stuck: [Int?]
}

/// One step of a scenario's thread.
package struct TraceLine: Hashable, Sendable {
  package var thread: Int
  package var text: String

  package init(thread: Int, text: String) {
    self.thread = thread
    self.text = text
  }
}
