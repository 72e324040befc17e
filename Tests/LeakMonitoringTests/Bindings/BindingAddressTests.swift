import Testing
import WeakCollections

@testable import LeakMonitoring

/// Of more than 1 KiB, so that a weak reference to it does not keep its memory on any system.
private final class Model {
  private let words = (Words(), Words(), Words(), Words(), Words())
  var onDeath: (Model) -> Void = { _ in }

  deinit { onDeath(self) }

  private struct Words {
    let bits = SIMD32<Int>()
  }
}

/// Who comes to the address of a dead object is not taken for it.
struct BindingAddressTests {
  private let leaks = CollectedLeaks()
  private let analyzer: BindingAnalyzer

  init() {
    analyzer = BindingAnalyzer(backend: .mutex, reporter: leaks)
  }

  @Test func `1.2 to unbind a successor by address is unmatched, and its predecessor abandoned`()
    throws
  {
    let successor = try successor { analyzer.registerBinding($0) }
    analyzer.registerUnbinding(successor)
    let report = analyzer.report
    #expect(report.count(.unmatched) == 1 && report.count(.abandoned) == 1)
    #expect(report.count(.released) == 0)
  }

  @Test func `1.2 to unbind from a successor of the controller is unmatched`() throws {
    let model = Model()
    let controller = try successor { analyzer.registerBinding(model, to: $0) }
    analyzer.registerUnbinding(model, from: controller)
    #expect(analyzer.report.count(.unmatched) == 1 && analyzer.report.count(.bound) == 1)
    withExtendedLifetime(model) {}
  }

  @Test func `1.2 a successor that is bound is unbound in its deinit, not its predecessor`() throws
  {
    var successor: Model? = try successor(
      onDeath: { [analyzer] in analyzer.registerUnbinding($0) }
    ) { analyzer.registerBinding($0, named: "predecessor") }
    analyzer.registerBinding(successor!)
    successor = nil
    let counts = analyzer.report.counts
    #expect(counts.first { $0.key.name == "predecessor" }?.key.state == .abandoned)
    #expect(analyzer.report.count(.released) == 1 && analyzer.report.count(.unmatched) == 0)
  }

  @Test func `1.4 to unbind a successor of a long-lived object is no error`() throws {
    let successor = try successor { analyzer.registerLongLived($0) }
    analyzer.registerUnbinding(successor)
    #expect(leaks.all.isEmpty)
  }

  /// An object at the address of one that died after `use`.
  private func successor(
    onDeath: @escaping (Model) -> Void = { _ in }, of use: (Model) -> Void
  ) throws -> Model {
    let address: ObjectIdentifier
    do {
      let model = Model()
      use(model)
      address = ObjectIdentifier(model)
    }
    // All are kept, so that one of them gets what is free. Only that one calls `onDeath`: the
    // others end here, and would count as unbindings of their own.
    var others: [Model] = []
    for _ in 0..<1000 {
      let model = Model()
      if ObjectIdentifier(model) == address {
        model.onDeath = onDeath
        return model
      }
      others.append(model)
    }
    try Test.cancel("The allocator, a sanitizer's, does not give memory back so soon.")
  }
}
