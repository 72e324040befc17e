import Linearizability

extension RandomHistory where Model == LossyRegister {
  static func lossyRegisters(neverReturning: Int) -> Self {
    RandomHistory(
      model: LossyRegister(), workers: 2...3, operationsPerWorker: 1...3,
      neverReturning: neverReturning,
      input: { random in random.chance(60) ? .read : .write(random.number(below: 4)) },
      answer: { input, state, random in
        switch input {
        case .read: (.value(state), state)
        case .write(let value): (.written, random.chance(50) ? value : state)
        }
      },
      anyOutput: { input, random in
        input == .read ? .value(random.number(below: 4)) : .written
      })
  }
}
