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
