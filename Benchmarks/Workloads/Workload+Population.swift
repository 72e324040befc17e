extension Workload {
  /// How many keys, or objects to draw, there are when `size` entries were asked for.
  ///
  /// - Only reading, replacing, or only getting or inserting: as many as entries, so that every one is
  ///   found.
  /// - Turning over: as many as were asked for, of which half are there.
  /// - A monitor: one for each type it watches, few and hot.
  /// - Growing: so many that even at the limit only one dictionary key in four is there already.
  /// - Sliding: twice as many, of which half are there.
  /// - With dead entries: as many as are alive.
  /// - Otherwise twice as many: about half are present, and inserts and removals both find work.
  public func keyRange(forSize size: Int) -> Int {
    precondition(size > 0, "a size is positive")
    switch (behaviour, subject) {
    case (.monitoring, .dictionary): return min(size, Self.hotKeys)
    case (.growing, .dictionary): return 4 * Self.growth * size
    case (.gettingOrInserting, _), (.replacing, _), (.turningOver, _): return size
    case (.reregistering, _): return size
    default: return mix.insert + mix.remove == 0 ? live(ofSize: size) : 2 * size
    }
  }

  /// How many entries the collection holds before the clock starts.
  public func prefill(forSize size: Int) -> Int {
    switch behaviour {
    case .growing: 0
    case .turningOver: (size + 1) / 2
    case .monitoring where subject == .dictionary: 0
    default: size - entriesOfDroppers(forSize: size)
    }
  }

  /// How many of `size` entries are alive when the clock starts; of any at least one is.
  public func live(ofSize size: Int) -> Int {
    max(min(1, size), size - Int(Double(size) * Double(deadShare) / 100))
  }

  /// Among how many collections the entries are, each as often: a leak monitor has one for each class.
  public var collectionCount: Int {
    behaviour == .monitoring && subject == .weakSet ? Self.hotKeys : 1
  }

  /// After how many inserts a worker empties the collection, so that a trial of any length stays
  /// within memory; `nil` where the collection cannot outgrow its size.
  ///
  /// Each worker counts its own inserts since it last emptied the collection, which takes no
  /// shared counter. The collection so holds at most this many entries per worker.
  public func entryLimit(forSize size: Int) -> Int? {
    if behaviour == .growing { return Self.growth * size }
    // No role grows by itself.
    if !roles.isEmpty { return nil }
    switch (subject, behaviour) {
    // There are never more entries than keys, or than objects that live and some of the dead.
    case (.dictionary, _), (.weakSet, _): return nil
    // Objects die, and the array drops them.
    case (.weakArray, .churning), (.weakArray, .monitoring), (.weakArray, .storming),
      (.weakArray, .dying):
      return nil
    // What is appended was removed just before.
    case (.weakArray, .reregistering): return nil
    case (.weakArray, _): return mix.insert > mix.remove ? Self.steadyGrowth * size : nil
    }
  }

  private static var growth: Int { 16 }
  private static var steadyGrowth: Int { 4 }
  private static var hotKeys: Int { 16 }
}
