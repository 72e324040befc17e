extension Workload {
  /// Every named workload for `subject`, in the order of `list` and of the README.
  public static func all(for subject: WorkloadSubject) -> [Workload] {
    switch subject {
    case .weakArray: standard(for: subject) + weakArrayLifetimes
    case .dictionary: standard(for: subject) + dictionaryLimits + ycsb
    case .weakSet: standard(for: subject)
    }
  }

  /// Those that are run when nothing is asked for.
  public static func standard(for subject: WorkloadSubject) -> [Workload] {
    switch subject {
    case .weakArray: weakArrays
    case .dictionary: dictionaries
    case .weakSet: weakSets
    }
  }

  /// The workload of that name for `subject`; the error suggests near misses.
  public static func named(
    _ name: String, for subject: WorkloadSubject
  ) throws(WorkloadError) -> Workload {
    guard let workload = all(for: subject).first(where: { $0.name == name }) else {
      throw .unknownWorkload(name, subject: subject)
    }
    return workload
  }

  /// The abstract types that have a workload of that name; none for an unknown name.
  public static func subjects(named name: String) -> [WorkloadSubject] {
    WorkloadSubject.allCases.filter { subject in
      all(for: subject).contains { $0.name == name }
    }
  }
}

extension OperationMix {
  /// For shares that are written in the source: trap where the throwing initializer throws.
  static func shares(
    read: Int = 0, insert: Int = 0, update: Int = 0, remove: Int = 0, iterate: Int = 0
  ) -> OperationMix {
    do {
      return try OperationMix(
        read: read, insert: insert, update: update, remove: remove, iterate: iterate)
    } catch {
      preconditionFailure("\(error)")
    }
  }
}
