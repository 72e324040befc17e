import Linearizability

extension RandomHistory where Model == DictionaryModel<Int, Int> {
  /// Two keys and few values.
  static func dictionaries(neverReturning: Int) -> Self {
    RandomHistory(
      model: DictionaryModel { $0 * 10 + $1 }, workers: 2...4, operationsPerWorker: 1...3,
      neverReturning: neverReturning,
      input: { random in
        let value = random.number(below: 3)
        let operation: DictionaryOperation<Int> =
          switch random.number(below: 8) {
          case 0: .set(value)
          case 1: .remove
          case 2: .insertIfAbsent(value)
          case 3: .append(value)
          case 4: .compareAndSet(expected: random.chance(50) ? nil : value, new: 1)
          default: .get
          }
        return DictionaryInput(operation, random.number(below: 2))
      },
      answer: { input, state, _ in answer(to: input.operation, state) },
      anyOutput: { input, random in
        let value = random.chance(30) ? nil : random.number(below: 3)
        return switch input.operation {
        case .get, .remove, .insertIfAbsent: .value(value)
        case .set, .append: .done
        case .compareAndSet: .exchanged(random.chance(50))
        }
      })
  }

  private static func answer(
    to operation: DictionaryOperation<Int>, _ state: Int?
  ) -> (DictionaryOutput<Int>, Int?) {
    switch operation {
    case .get: (.value(state), state)
    case .set(let value): (.done, value)
    case .remove: (.value(state), nil)
    case .insertIfAbsent(let value): (.value(state ?? value), state ?? value)
    case .append(let value): (.done, state.map { $0 * 10 + value } ?? value)
    case .compareAndSet(let expected, let new):
      (.exchanged(state == expected), state == expected ? new : state)
    }
  }
}
