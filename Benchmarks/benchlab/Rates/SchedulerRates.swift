import Interleaving
import Primitives
import TerminalIO

/// The rates of the managed scheduler on one core, and the required rates.
enum SchedulerRates {
  /// A program whose threads store, load and update shared variables in several rounds.
  struct Shape {
    var threads: Int
    var rounds: Int
    var executions: Int
    /// The required executions per second: a fixed requirement for the smallest shape, and the rate
    /// of the Relacy Race Detector for the others.
    var requiredPerSecond: Double
  }

  static let shapes = [
    Shape(threads: 2, rounds: 2, executions: 300_000, requiredPerSecond: 1_000_000),
    Shape(threads: 3, rounds: 3, executions: 100_000, requiredPerSecond: 588_000),
    Shape(threads: 4, rounds: 5, executions: 50_000, requiredPerSecond: 279_000),
    Shape(threads: 8, rounds: 20, executions: 5_000, requiredPerSecond: 25_000),
  ]

  /// The error of a build without the trait `Interleaving`.
  static var unavailable: CommandError {
    .usage(
      "scheduler needs a build with the trait Interleaving "
        + "(allowed: swift run -c release --traits Interleaving benchlab rates scheduler)")
  }

  /// Measures the median rates of all shapes in both memory models.
  static func measured(rounds: Int, seed: UInt64) throws(CommandError) -> [MeasuredRate] {
    #if Interleaving
      var rates: [MeasuredRate] = []
      for shape in shapes {
        for memory in MemoryModel.allCases {
          let all = try (0..<rounds).map { round throws(CommandError) in
            try rate(of: shape, memory, seed: seed &+ UInt64(round))
          }
          rates.append(
            MeasuredRate(
              name: "\(shape.threads) threads x \(shape.rounds) rounds of 3, \(memory.name)",
              unit: "executions/s", perSecond: all.sorted()[rounds / 2],
              requiredPerSecond: shape.requiredPerSecond))
        }
      }
      return rates
    #else
      throw unavailable
    #endif
  }

  #if Interleaving
    private final class Words: Sendable {
      let x = Atomic(0)
      let y = Atomic(0)

      func use(rounds: Int) {
        for _ in 0..<rounds {
          x.store(1, ordering: .relaxed)
          _ = y.load(ordering: .acquiring)
          y.wrappingAdd(1, ordering: .acquiringAndReleasing)
        }
      }
    }

    private static func rate(
      of shape: Shape, _ memory: MemoryModel, seed: UInt64
    ) throws(CommandError) -> Double {
      let words = Words()
      let body = { words.use(rounds: shape.rounds) }
      let plan = Exploration(
        strategy: .randomWalk, seed: seed, executions: shape.executions, memory: memory)
      let outcome = plan.run { execution in
        for _ in 0..<shape.threads { execution.thread("", body) }
        execution.runThreads()
      }
      guard outcome.failure == nil else {
        throw .failed(
          "the scheduler reports a failure in a correct program (\(shape.threads) threads, "
            + "\(memory.name), seed \(seed)); report this as a bug")
      }
      return Double(outcome.executions) / (outcome.elapsed / .seconds(1))
    }
  #endif
}

extension MemoryModel {
  fileprivate var name: String {
    switch self {
    case .sequentiallyConsistent: "sequentially consistent"
    case .storeBuffers: "store buffers"
    case .reorderedLoads: "reordered loads"
    }
  }
}
