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
