import RuntimeInspection

/// Looks for the holders of a report's survivors, or of a test's: of the first few, since each search takes time.
package struct HolderSearch {
  private static let mostSearches = 5

  private let find: (LifeSign) -> RetainFinding?
  private var searchesLeft = mostSearches

  init(_ find: @escaping (LifeSign) -> RetainFinding?) {
    self.find = find
  }

  package mutating func find(_ life: LifeSign) -> RetainFinding? {
    guard searchesLeft > 0, let finding = find(life) else { return nil }
    searchesLeft -= 1
    // What is not to be had for one is not for the next, and may have used up its time.
    if case .unavailable = finding { searchesLeft = 0 }
    return finding
  }
}
