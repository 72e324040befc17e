/// One step of an execution, for people.
public struct Step: Sendable, Hashable {
  public enum Kind: UInt8, Sendable, CaseIterable {
    case load, store, update, exchange, failedExchange
    /// A store of this thread becomes visible to the others.
    case drain
    case read, write
    case allocate, deallocate
    case wait, wake, spin, lock, unlock, mark, lastRelease
    case suspend
    /// A full barrier on every thread.
    case barrier
  }

  /// The number of the thread; 0 is the scenario itself.
  public var thread: Int
  public var kind: Kind
  public var ordering: Ordering?
  public var site: Site
  /// The variable: `node 3 + 16` in the third node allocated, else `word 2` in the order of first
  /// use.
  public var variable: String?
  /// What was read or written; of an update or exchange, the new value.
  public var value: UInt64?
  /// Of an update or exchange, the value before.
  public var previous: UInt64?
  /// The node that the value is the address of, as `variable` says it.
  public var valueNode: String?
}

/// A memory ordering, weakest first.
public enum Ordering: UInt32, Sendable, CaseIterable {
  case relaxed = 0
  case acquiring = 2
  case releasing = 3
  case acquiringAndReleasing = 4
  case sequentiallyConsistent = 5
}

extension Step: CustomStringConvertible {
  public var description: String {
    var words = ["\(thread)", "\(kind)"]
    if let variable { words.append(variable) }
    if let previous { words.append("\(previous) →") }
    if let value { words.append(valueNode ?? "\(value)") }
    if let ordering { words.append("\(ordering)") }
    return words.joined(separator: " ") + "  \(site)"
  }
}

/// A place in the source where a step is taken.
public struct Site: Sendable, Hashable, CustomStringConvertible {
  /// As `#fileID` says it: module and file.
  public var file: String
  public var function: String
  public var line: UInt32

  public init(file: String, function: String, line: UInt32) {
    self.file = file
    self.function = function
    self.line = line
  }

  public var description: String { "\(file):\(line) \(function)" }
}

#if Interleaving
  import CShims

  /// A step as an observer is told of it, while the execution runs.
  public struct ObservedStep {
    private let record: StepRecord

    init(_ record: StepRecord) {
      self.record = record
    }

    public var thread: Int { Int(record.thread) }
    public var kind: Step.Kind { Step.Kind(rawValue: record.kind)! }
    public var address: UInt { record.address }
    /// Of an allocation, the number of bytes.
    public var value: UInt64 { record.value }
    public var site: Site { Site(record.site) }

    /// Whether the step needs its cache line for itself. A failed exchange does, as on most
    /// machines.
    public var isWrite: Bool {
      switch kind {
      case .store, .update, .exchange, .failedExchange, .write, .lock, .unlock: true
      default: false
      }
    }
  }

  extension Site {
    init(_ site: cws_site) {
      self.init(
        file: site.file.map { String(cString: $0) } ?? "",
        function: site.function.map { String(cString: $0) } ?? "", line: site.line)
    }
  }
#endif
