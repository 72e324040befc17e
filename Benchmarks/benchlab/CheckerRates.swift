import TerminalIO
import Linearizability
import Workloads

/// How fast the checker is, on one thread, against the bars set for it.
enum CheckerRates {
  /// Histories of one shape, made before they are timed, and the rate to beat.
  struct Shape {
    var name: String
    var simulated: SimulatedHistory
    var histories: Int
    var bar: Double
    /// Whether the rate counts operations, not histories.
    var countsOperations = false

    var unit: String { countsOperations ? "operations/s" : "histories/s" }
  }

  static let shapes = [
    Shape(
      name: "2 workers x 5 operations, 3 keys",
      simulated: SimulatedHistory(workers: 2, operationsPerWorker: 5, keys: 3),
      histories: 20_000, bar: 91_000),
    Shape(
      name: "4 workers x 5 operations, 3 keys",
      simulated: SimulatedHistory(workers: 4, operationsPerWorker: 5, keys: 3),
      histories: 10_000, bar: 50_000),
    Shape(
      name: "8 workers x 1,000 operations, 100 keys",
      simulated: SimulatedHistory(workers: 8, operationsPerWorker: 1000, keys: 100),
      histories: 20, bar: 1_500_000, countsOperations: true),
  ]

  /// The rates of all shapes.
  static func measured(rounds: Int, seed: UInt64) throws(CommandError) -> [MeasuredRate] {
    var rates: [MeasuredRate] = []
    for shape in shapes {
      let rate = try rate(of: shape, rounds: rounds, seed: seed)
      rates.append(
        MeasuredRate(name: shape.name, unit: shape.unit, perSecond: rate, bar: shape.bar))
    }
    return rates
  }

  /// The median rate of `rounds`, each over the same histories.
  static func rate(of shape: Shape, rounds: Int, seed: UInt64) throws(CommandError) -> Double {
    let histories = (0..<shape.histories).map { number in
      shape.simulated.history(seed: seed &+ UInt64(number))
    }
    let checker = Checker(SimulatedHistory.model)
    let operations = shape.simulated.workers * shape.simulated.operationsPerWorker
    let count = shape.histories * (shape.countsOperations ? operations : 1)
    var rates: [Double] = []
    for _ in 0..<rounds {
      var linearizable = 0
      let elapsed = ContinuousClock().measure {
        for history in histories where checker.check(history).isLinearizable { linearizable += 1 }
      }
      guard linearizable == histories.count else {
        throw .failed("the checker finds a simulated history illegal")
      }
      rates.append(Double(count) / (elapsed / .seconds(1)))
    }
    return rates.sorted()[rounds / 2]
  }
}
