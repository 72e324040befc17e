/// A seeded fault that needs no change to the source: it replaces the memory ordering of the atomic
/// operations at certain sites.
public struct Weakening: Sendable, Hashable {
  /// The file, as in `#fileID` or without the module.
  public var file: String
  /// The function, as in `#function`; `nil` for every function of the file.
  public var function: String?
  /// The kind of the operations; `nil` for every atomic operation of the function.
  public var kind: Step.Kind?
  /// The new ordering.
  public var ordering: Ordering

  /// Creates a weakening.
  ///
  /// - Parameters:
  ///   - file: The file, as in `#fileID` or without the module.
  ///   - function: The function, as in `#function`; `nil` for every function of the file.
  ///   - kind: The kind of the operations; `nil` for all. Compare-exchanges are of the kind
  ///     `compareExchange`, whether or not they succeed.
  ///   - ordering: The new ordering.
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

  /// Finds the weakening at a step's site, and caches it for each site.
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
