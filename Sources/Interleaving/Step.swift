/// One step of an execution, for reports.
public struct Step: Sendable, Hashable {
  /// The kind of a step.
  public enum Kind: UInt8, Sendable, CaseIterable {
    /// An atomic load.
    case load
    /// An atomic store.
    case store
    /// An atomic read-modify-write, but not a compare-exchange.
    case update
    /// A compare-exchange that succeeded or failed.
    case compareExchange, failedCompareExchange
    /// A store of this thread becomes visible to the other threads.
    case drain
    /// A plain access to a node.
    case read, write
    /// The allocation of a node.
    case allocate
    /// The deallocation of a node.
    case deallocate
    /// A wait for a word to change.
    case wait
    /// A wake-up of the threads that wait on a word.
    case wake
    /// An iteration of a loop that waits for another thread.
    case spin
    /// The acquisition of a lock, or an attempt.
    case lock
    /// The release of a lock.
    case unlock
    /// A step without an effect, at which other threads can run.
    case mark
    /// The release of an object's last strong reference.
    case lastRelease
    /// The thread takes no step until all others have ended.
    case suspend
    /// A full barrier on every thread.
    case barrier
    /// A memory fence of one thread.
    case fence
    /// A part of a task, up to its next suspension.
    case run
  }

  /// The number of the thread; the scenario is 0.
  public var thread: Int
  /// The kind of the step.
  public var kind: Kind
  /// The memory ordering of an atomic operation; `nil` for other steps.
  public var ordering: Ordering?
  /// The place in the source.
  public var site: Site
  /// The name of the variable: `node 3 + 16` for byte 16 of the third node that the execution
  /// allocated; `word 2` for the second word outside of nodes that it used.
  public var variable: String?
  /// The value read or written; the new value of an update or a compare-exchange.
  public var value: UInt64?
  /// The old value of an update or a compare-exchange.
  public var previous: UInt64?
  /// The name of the node that the value points to; `nil` if the value is not a node's address.
  public var valueNode: String?
  /// Whether a load returned the value of a store that another thread executes later
  /// (`PromisedStore`).
  public var isPromised = false
}

/// A memory ordering. Raw values increase with the strength of the ordering.
public enum Ordering: UInt32, Sendable, CaseIterable {
  /// No ordering.
  case relaxed = 0
  /// After the operation, the writes that precede the matching release are visible.
  case acquiring = 2
  /// The writes that precede the operation are visible after a matching acquire.
  case releasing = 3
  /// Acquiring and releasing.
  case acquiringAndReleasing = 4
  /// Acquiring and releasing. In addition, all such operations have one total order.
  case sequentiallyConsistent = 5
}

extension Step: CustomStringConvertible {
  /// The step on one line.
  public var description: String {
    var words = ["\(thread)", "\(kind)"]
    if let variable { words.append(variable) }
    if let previous { words.append("\(previous) →") }
    if let value { words.append(valueNode ?? "\(value)") }
    if isPromised { words.append("(stored later)") }
    if let ordering { words.append("\(ordering)") }
    return words.joined(separator: " ") + "  \(site)"
  }
}

/// A place in the source that takes a step.
public struct Site: Sendable, Hashable, CustomStringConvertible {
  /// The module and the file, as in `#fileID`; empty if unknown.
  public var file: String
  /// The function, as in `#function`.
  public var function: String
  /// The line; 0 if unknown.
  public var line: UInt32

  /// Creates a place.
  public init(file: String, function: String, line: UInt32) {
    self.file = file
    self.function = function
    self.line = line
  }

  /// The file, the line and the function.
  public var description: String {
    file.isEmpty ? function : "\(file):\(line) \(function)"
  }
}

#if Interleaving
  import CShims

  /// A step that an execution reports to its observer while it runs.
  public struct ObservedStep {
    private let record: StepRecord

    init(_ record: StepRecord) {
      self.record = record
    }

    /// The number of the thread; the scenario is 0.
    public var thread: Int { Int(record.thread) }
    /// The kind of the step.
    public var kind: Step.Kind { Step.Kind(rawValue: record.kind)! }
    /// The address of the variable or the node; 0 if the step uses none.
    public var address: UInt { record.address }
    /// The value read or written; the number of bytes of an allocation.
    public var value: UInt64 { record.value }
    /// The place in the source.
    public var site: Site { Site(record.site) }

    /// Whether the step needs the only copy of its cache line. A failed compare-exchange needs it
    /// too, as on most machines.
    public var isWrite: Bool {
      switch kind {
      case .store, .update, .compareExchange, .failedCompareExchange, .write, .lock, .unlock: true
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
