/// What a worker may do next; what it calls for that depends on the collection.
///
/// The order of the cases is the order of the shares in texts, tables and CSV columns.
public enum OperationKind: String, CaseIterable, Sendable {
  case read
  case insert
  case update
  case remove
  case iterate

  /// What a worker calls for this operation unless the workload's behaviour says otherwise.
  ///
  /// | Operation | Weak array | Dictionary | Weak set |
  /// |---|---|---|---|
  /// | read | `contains` | `value(forKey:)` | `contains` |
  /// | insert | `append` | set | `insert` |
  /// | update | `compact` | `update` | `compact` |
  /// | remove | `remove` of an identical object | remove | `remove` |
  /// | iterate | the snapshot `all` | `forEach` | the snapshot `all` |
  public func meaning(for subject: WorkloadSubject) -> String {
    switch subject {
    case .weakArray: weakArrayMeaning
    case .dictionary: dictionaryMeaning
    case .weakSet: weakSetMeaning
    }
  }

  // A worker removes what it appended itself: a removal then always finds its object, and equal
  // shares of inserts and removals keep the number of entries where it was. With objects drawn at
  // random some removals would find nothing, and the array would grow.
  private var weakArrayMeaning: String {
    switch self {
    case .read: "`contains` of a drawn object"
    case .insert: "`append` of a drawn object"
    case .update: "`compact`"
    case .remove: "`remove` of the object that this worker appended longest ago"
    case .iterate: "the snapshot `all`"
    }
  }

  private var weakSetMeaning: String {
    switch self {
    case .read: "`contains` of a drawn object"
    case .insert: "`insert` of a drawn object"
    case .update: "`compact`"
    case .remove: "`remove` of a drawn object"
    case .iterate: "the snapshot `all`"
    }
  }

  private var dictionaryMeaning: String {
    switch self {
    case .read: "`value(forKey:)` of a drawn key"
    case .insert: "sets the value of a drawn key"
    case .update: "`update` of a drawn key, adding one"
    case .remove: "removes a drawn key"
    case .iterate: "`forEach` over all entries"
    }
  }
}
