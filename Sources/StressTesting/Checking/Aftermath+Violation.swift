extension Aftermath {
  /// What is wrong at rest: counts, entries, objects that live on or were made twice.
  var violation: Violation? {
    if count != size {
      return Violation(.wrongCount, "count is \(count) at rest, with \(size) there")
    }
    // One more is alive: the one that was appended last.
    let bound = 2 * (size + 1) + 64
    if let entryCount, entryCount > bound {
      return Violation(
        .notConserved, "\(entryCount) entries are stored after a mutation; at most \(bound) may be")
    }
    if let object = keptAlive.first {
      return Violation(.notConserved, "object \(object) lives on, though nobody holds it")
    }
    if let object = remade.first {
      return Violation(.notConserved, "object \(object) was made twice: an update's body ran again")
    }
    if let object = leaked.first {
      return Violation(.notConserved, "object \(object) lives on when everything was let go")
    }
    return nil
  }

  private var size: Int {
    switch contents {
    case .objects(let objects): objects.count
    case .pairs(let pairs): pairs.count
    default: 0
    }
  }
}
