import Primitives

/// Where a fixed number of threads wait until all are there.
public final class Rendezvous: Sendable {
  private let missing: Atomic<Int>
  private let gate = Gate()

  public init(_ count: Int) { missing = Atomic(count) }

  public func arriveAndWait() {
    // Relaxed: the gate orders what came before for those who wait.
    if missing.wrappingSubtract(1, ordering: .relaxed).newValue == 0 { gate.open() }
    gate.wait()
  }
}
