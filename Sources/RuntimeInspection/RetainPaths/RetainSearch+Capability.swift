import Synchronization

extension RetainSearch {
  /// Whether searching works here: a cycle through a closure is made and must be found.
  ///
  /// Tried when this is first asked or a search is first made, which takes milliseconds, and seconds at worst. That it
  /// works, or finds what it should not, is kept; that a process could not be had, or had no time, may pass, and is
  /// tried again by the next who asks.
  public static var capability: RuntimeCapability {
    // Relaxed: the number is all that is told, and whoever does not see it tries for himself.
    switch verdict.load(ordering: .relaxed) {
    case works: return .available
    case findsOtherwise: return otherRuntime
    default: return test()
    }
  }

  private final class Probe {
    let number = 1
    var holding: (() -> Int)?
  }

  private static let verdict = Atomic(0)
  private static let works = 1
  private static let findsOtherwise = 2
  private static let otherRuntime = RuntimeCapability.unavailable(
    "searching does not find here what it should: another runtime?")

  private static func test() -> RuntimeCapability {
    var found = RuntimeCapability.available
    // Not by one failure: a process that is short of time is not one of another kind.
    for _ in 0..<3 {
      found = test(RetainSearch(timeout: .seconds(1), findsTasks: false))
      if found == .available { break }
    }
    // Relaxed, as above.
    if found == .available { verdict.store(works, ordering: .relaxed) }
    if found == otherRuntime { verdict.store(findsOtherwise, ordering: .relaxed) }
    return found
  }

  private static func test(_ search: RetainSearch) -> RuntimeCapability {
    let probe = Probe()
    let other = Probe()
    let before = search.search(probe)
    probe.holding = { [unowned other] in probe.number + other.number }
    other.holding = { [weak other] in other?.number ?? 0 }
    defer { probe.holding = nil }
    let (cycle, none) = (search.search(probe), search.search(other))
    for case .unavailable(let reason) in [before, cycle, none] { return .unavailable(reason) }
    guard cycle.path?.origin == .cycle, cycle.path?.edges.map(\.label) == [".holding", "capture"],
      before.path == nil, none.path == nil
    else { return otherRuntime }
    return .available
  }
}
