import Linearizability

extension RandomHistory where Model == WeakArrayModel<Int> {
  /// Three objects that are appended, removed and looked up while some of them die.
  static func weakArrays(neverReturning: Int) -> Self {
    RandomHistory(
      model: WeakArrayModel(), workers: 2...3, operationsPerWorker: 1...2,
      neverReturning: neverReturning,
      input: { random in
        let object = random.number(below: 3)
        return switch random.number(below: 9) {
        case 0, 1, 2: .append(object)
        case 3: .remove(object)
        case 4: .contains(object)
        case 5: .count
        case 6: .die(object)
        case 7: random.chance(20) ? .removeAll : .snapshot
        default: .snapshot
        }
      },
      answer: { input, state, _ in answer(to: input, state) },
      anyOutput: { input, random in
        switch input {
        case .append, .removeAll, .die: .done
        case .remove, .contains: .found(random.chance(50))
        case .snapshot:
          .elements((0..<random.number(below: 3)).map { _ in random.number(below: 3) })
        case .count: .count(random.number(below: 3))
        }
      })
  }

  /// Of an array that forgets the dead, and whose dead may be appended again: no history of the
  /// model.
  private static func answer(
    to input: WeakArrayInput<Int>, _ state: Model.State
  ) -> (WeakArrayOutput<Int>, Model.State) {
    var next = state
    switch input {
    case .append(let object):
      next.live.append(object)
      return (.done, next)
    case .remove(let object):
      guard let index = next.live.firstIndex(of: object) else { return (.found(false), next) }
      next.live.remove(at: index)
      return (.found(true), next)
    case .removeAll:
      next.live = []
      return (.done, next)
    case .contains(let object): return (.found(next.live.contains(object)), next)
    case .snapshot: return (.elements(next.live), next)
    case .count: return (.count(next.live.count), next)
    case .die(let object):
      next.live.removeAll { $0 == object }
      return (.done, next)
    }
  }
}
