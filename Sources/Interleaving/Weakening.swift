/// A defect planted in code that stays as it is: at the sites it names, operations have another
/// ordering.
public struct Weakening: Sendable, Hashable {
  /// As `#fileID` says it, or the name of the file alone.
  public var file: String
  /// As `#function` says it; nil for every function of the file.
  public var function: String?
  /// What is weakened; nil for every atomic operation of the function.
  public var kind: Step.Kind?
  public var ordering: Ordering

  /// Exchanges, whether or not they succeed, are of the kind `exchange`.
  public init(file: String, function: String?, kind: Step.Kind? = nil, ordering: Ordering) {
    self.file = file
    self.function = function
    self.kind = kind
    self.ordering = ordering
  }

  func matches(file: String, function: String, kind: Step.Kind) -> Bool {
    (file == self.file || file.hasSuffix("/" + self.file))
      && (self.function == nil || function == self.function)
      && (self.kind == nil || kind == self.kind)
  }
}

#if Interleaving
  import CShims

  /// Finds the weakening of a step's site; each site is compared once.
  struct WeakeningTable {
    private struct Key: Hashable {
      var file: UnsafePointer<CChar>?
      var function: UnsafePointer<CChar>?
      var line: UInt32
      var kind: Step.Kind
    }

    private let weakenings: [Weakening]
    private var known: [Key: Ordering?] = [:]

    init(_ weakenings: [Weakening]) {
      self.weakenings = weakenings
    }

    var isEmpty: Bool { weakenings.isEmpty }

    mutating func ordering(at site: cws_site, _ kind: Step.Kind) -> Ordering? {
      let key = Key(file: site.file, function: site.function, line: site.line, kind: kind)
      if let ordering = known[key] { return ordering }
      let place = Site(site)
      let ordering = weakenings.first {
        $0.matches(file: place.file, function: place.function, kind: kind)
      }?.ordering
      known[key] = .some(ordering)
      return ordering
    }
  }
#endif
