import Linearizability
import SeededRandom
import TerminalIO
import Workloads

/// The rates of the checker on one thread, and the required rates.
enum CheckerRates {
  /// The shape of some histories, and the required rate of checking them. The histories are created
  /// before the clock starts.
  struct Shape {
    var name: String
    var simulated: SimulatedHistory
    var histories: Int
    var requiredPerSecond: Double
    /// Whether the rate counts operations, rather than histories.
    var countsOperations = false

    var unit: String { countsOperations ? "operations/s" : "histories/s" }
  }

  static let shapes = [
    Shape(
      name: "2 workers x 5 operations, 3 keys",
      simulated: SimulatedHistory(workers: 2, operationsPerWorker: 5, keys: 3),
      histories: 20_000, requiredPerSecond: 91_000),
    Shape(
      name: "4 workers x 5 operations, 3 keys",
      simulated: SimulatedHistory(workers: 4, operationsPerWorker: 5, keys: 3),
      histories: 10_000, requiredPerSecond: 50_000),
    Shape(
      name: "8 workers x 1,000 operations, 100 keys",
      simulated: SimulatedHistory(workers: 8, operationsPerWorker: 1000, keys: 100),
      histories: 20, requiredPerSecond: 1_500_000, countsOperations: true),
  ]

  /// Measures the rates of all shapes.
  static func measured(rounds: Int, seed: UInt64) throws(CommandError) -> [MeasuredRate] {
    var rates: [MeasuredRate] = []
    for shape in shapes {
      let rate = try rate(of: shape, rounds: rounds, seed: seed)
      rates.append(
        MeasuredRate(
          name: shape.name, unit: shape.unit, perSecond: rate,
          requiredPerSecond: shape.requiredPerSecond))
    }
    return rates
  }

  /// Returns the median rate over `rounds` rounds with the same histories.
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
        throw .failed(
          "the checker rejects \(histories.count - linearizable) of \(histories.count) simulated "
            + "linearizable histories (\(shape.name), seed \(seed)); report this as a bug")
      }
      rates.append(Double(count) / (elapsed / .seconds(1)))
    }
    return rates.sorted()[rounds / 2]
  }
}

/// The parameters of simulated histories of a correct dictionary. Operations overlap, and each
/// takes effect at one moment between its call and its return.
struct SimulatedHistory {
  typealias Model = DictionaryModel<Int, Int>

  var workers: Int
  var operationsPerWorker: Int
  var keys: Int

  static let model = Model { $0 &+ $1 }

  private enum Step { case call, effect, end }

  private struct Worker {
    var remaining: Int
    var step = Step.call
    var operation = 0
  }

  /// Returns a history in which workers take their steps in a random order.
  func history(seed: UInt64) -> History<Model.Input, Model.Output> {
    var random = SplitMix64(seed: seed)
    var running = (0..<workers).map { _ in Worker(remaining: operationsPerWorker) }
    var numbers = Array(0..<workers)
    var contents: [Int: Int] = [:]
    var outputs: [Model.Output] = []
    var operations: [Operation<Model.Input, Model.Output>] = []
    var clock: UInt64 = 0
    while !numbers.isEmpty {
      clock += 1
      let place = random.number(below: numbers.count)
      let number = numbers[place]
      switch running[number].step {
      case .call:
        running[number].operation = operations.count
        outputs.append(.done)
        operations.append(
          Operation(
            worker: number, call: clock, return: nil, input: input(&random), output: nil))
        running[number].step = .effect
      case .effect:
        let operation = running[number].operation
        let input = operations[operation].input
        outputs[operation] = Self.answer(to: input.operation, in: &contents[input.key])
        running[number].step = .end
      case .end:
        let operation = running[number].operation
        operations[operation].return = clock
        operations[operation].output = outputs[operation]
        running[number].remaining -= 1
        running[number].step = .call
        if running[number].remaining == 0 { numbers.remove(at: place) }
      }
    }
    return History(operations)
  }

  private func input(_ random: inout SplitMix64) -> Model.Input {
    let operation: DictionaryOperation<Int> =
      switch random.number(below: 10) {
      case 0..<5: .get
      case 5, 6: .set(random.number(below: 100))
      case 7: .remove
      case 8: .insertIfAbsent(random.number(below: 100))
      default:
        .compareAndSet(expected: random.number(below: 100), new: random.number(below: 100))
      }
    return Model.Input(operation, random.number(below: keys))
  }

  /// Applies an operation to the dictionary, independently of the model that checks the histories.
  private static func answer(
    to operation: DictionaryOperation<Int>, in value: inout Int?
  ) -> Model.Output {
    let before = value
    switch operation {
    case .get: return .value(before)
    case .set(let new): value = new
    case .append(let new): value = (before ?? 0) &+ new
    case .remove:
      value = nil
      return .value(before)
    case .insertIfAbsent(let new):
      value = before ?? new
      return .value(value)
    case .compareAndSet(let expected, let new):
      if before == expected { value = new }
      return .exchanged(before == expected)
    }
    return .done
  }
}
