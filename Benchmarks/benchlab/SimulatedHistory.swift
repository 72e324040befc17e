import Linearizability
import SeededRandom
import Workloads

/// A history as a real dictionary would give it: operations overlap, and each takes effect at one moment
/// between its call and its return.
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

  /// Workers take their steps in an order drawn from `seed`.
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

  /// The dictionary itself, written without the model that its histories are checked against.
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
