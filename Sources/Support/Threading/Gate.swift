/// Where threads wait for another: closed at first, then open for good.
///
/// The threads sleep: they must be owned ones.
package final class Gate: Sendable {
  private let isOpen = Monitor(false)

  package init() {}

  package func open() {
    isOpen.change { $0 = true }
  }

  /// Returns once the gate is open; what came before `open` is visible then.
  package func wait() {
    isOpen.wait { $0 ? () : nil }
  }
}
