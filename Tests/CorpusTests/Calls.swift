#if Interleaving
  // The calls that several structures have.

  protocol ConcurrentStack: Structure {
    func push(_ value: Int)
    func pop() -> Int?
  }

  enum StackCall<Subject: ConcurrentStack>: Call {
    case push(Int)
    case pop

    func perform(on subject: Subject) -> Int? {
      switch self {
      case .push(let value):
        subject.push(value)
        return nil
      case .pop: return subject.pop()
      }
    }

    func apply(to model: inout [Int]) -> Int? {
      switch self {
      case .push(let value):
        model.append(value)
        return nil
      case .pop: return model.popLast()
      }
    }
  }

  protocol ConcurrentSet: Structure {
    /// Adds a key; returns false if it was present.
    func add(_ key: Int) -> Bool
    /// Removes a key; returns false if it was absent.
    func remove(_ key: Int) -> Bool
    func contains(_ key: Int) -> Bool
  }

  enum SetCall<Subject: ConcurrentSet>: Call {
    case add(Int)
    case remove(Int)
    case contains(Int)

    func perform(on subject: Subject) -> Bool {
      switch self {
      case .add(let key): subject.add(key)
      case .remove(let key): subject.remove(key)
      case .contains(let key): subject.contains(key)
      }
    }

    func apply(to model: inout Set<Int>) -> Bool {
      switch self {
      case .add(let key): model.insert(key).inserted
      case .remove(let key): model.remove(key) != nil
      case .contains(let key): model.contains(key)
      }
    }
  }
#endif
