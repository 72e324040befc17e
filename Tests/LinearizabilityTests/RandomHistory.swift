import Linearizability
import SeededTesting

/// Small histories of workers that overlap at random.
struct RandomHistory<Model: SequentialModel> {
  typealias Recorded = Operation<Model.Input, Model.Output>

  var model: Model
  var workers: ClosedRange<Int>
  var operationsPerWorker: ClosedRange<Int>
  /// In a hundred.
  var neverReturning = 0
  var input: (inout SeededGenerator) -> Model.Input
  /// What the object answers in a state, drawn among what it may, and the state afterwards.
  var answer: (Model.Input, Model.State, inout SeededGenerator) -> (Model.Output, Model.State)
  /// Any result at all, right or wrong.
  var anyOutput: (Model.Input, inout SeededGenerator) -> Model.Output

  /// An operation's call and return, and the moment between them at which it takes effect.
  private enum Step { case call, effect, end }

  /// Workers take steps in random order; with `lies` in a hundred, a result is drawn at random
  /// instead of being what the object answers. Without lies the history is linearizable.
  func history(_ random: inout SeededGenerator, lies: Int) -> History<Model.Input, Model.Output> {
    let count = random.number(below: workers.count) + workers.lowerBound
    var left = (0..<count).map { _ in
      random.number(below: operationsPerWorker.count) + operationsPerWorker.lowerBound
    }
    var steps = Array(repeating: Step.call, count: count)
    var current = Array(repeating: -1, count: count)
    var states: [Model.Partition: Model.State] = [:]
    var operations: [Recorded] = []
    var results: [Model.Output?] = []
    var clock: UInt64 = 0
    while left.contains(where: { $0 > 0 }) {
      let worker = random.number(below: count)
      guard left[worker] > 0 else { continue }
      // Now and then two moments share a stamp.
      clock += random.chance(20) ? 0 : 1
      switch steps[worker] {
      case .call:
        current[worker] = operations.count
        let input = input(&random)
        operations.append(
          Recorded(worker: worker, call: clock, return: nil, input: input, output: nil))
        results.append(nil)
        steps[worker] = .effect
      case .effect:
        let input = operations[current[worker]].input
        let part = model.partition(of: input)
        let (output, next) = answer(input, states[part] ?? model.initialState, &random)
        states[part] = next
        results[current[worker]] = random.chance(lies) ? anyOutput(input, &random) : output
        steps[worker] = .end
        if random.chance(neverReturning) { left[worker] = 0 }
      case .end:
        operations[current[worker]].return = clock
        operations[current[worker]].output = results[current[worker]]
        left[worker] -= 1
        steps[worker] = .call
      }
    }
    return History(operations)
  }
}
