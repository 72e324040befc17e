import Linearizability

extension RandomHistory where Model == RegisterModel<Int> {
  /// A register of few values, so that results often agree by accident.
  static func registers(neverReturning: Int) -> Self {
    RandomHistory(
      model: RegisterModel(), workers: 2...3, operationsPerWorker: 1...3,
      neverReturning: neverReturning,
      input: { random in
        switch random.number(below: 4) {
        case 0: .write(random.number(below: 3))
        case 1:
          .compareAndSet(expected: random.number(below: 3), new: random.number(below: 3))
        default: .read
        }
      },
      answer: { input, state, _ in
        switch input {
        case .read: (.value(state), state)
        case .write(let value): (.written, value)
        case .compareAndSet(let expected, let new):
          (.exchanged(state == expected), state == expected ? new : state)
        }
      },
      anyOutput: { input, random in
        switch input {
        case .read: .value(random.number(below: 3))
        case .write: .written
        case .compareAndSet: .exchanged(random.chance(50))
        }
      })
  }
}
