import Testing
import WeakCollections

@testable import LeakMonitoring

/// An object of more than 1 KiB. On every system, its memory is freed although a weak reference to
/// it remains.
private final class Model {
  private let words = (Words(), Words(), Words(), Words(), Words())
  var onDeath: (Model) -> Void = { _ in }

  deinit { onDeath(self) }

  private struct Words {
    let bits = SIMD32<Int>()
  }
}

/// An object that is allocated at the address of a dead object is not mistaken for it.
struct BindingAddressTests {
  private let leaks = CollectedLeaks()
  private let analyzer: BindingAnalyzer

  init() {
    analyzer = BindingAnalyzer(backend: .mutex, reporter: leaks)
  }

  @Test func `1.2 an unbinding at a dead object's address is unmatched, the object abandoned`()
    throws
  {
    let successor = try successor { analyzer.registerBinding($0) }
    analyzer.registerUnbinding(successor)
    let report = analyzer.report
    #expect(report.count(.unmatched) == 1 && report.count(.abandoned) == 1)
    #expect(report.count(.released) == 0)
  }

  @Test func `1.2 unbinding from an object at a dead controller's address is unmatched`() throws {
    let model = Model()
    let controller = try successor { analyzer.registerBinding(model, to: $0) }
    analyzer.registerUnbinding(model, from: controller)
    #expect(analyzer.report.count(.unmatched) == 1 && analyzer.report.count(.bound) == 1)
    withExtendedLifetime(model) {}
  }

  @Test func `1.2 an object at a dead object's address can unbind itself in its deinit`() throws {
    var successor: Model? = try successor(
      onDeath: { [analyzer] in analyzer.registerUnbinding($0) }
    ) { analyzer.registerBinding($0, named: "predecessor") }
    analyzer.registerBinding(successor!)
    successor = nil
    let counts = analyzer.report.counts
    #expect(counts.first { $0.key.name == "predecessor" }?.key.state == .abandoned)
    #expect(analyzer.report.count(.released) == 1 && analyzer.report.count(.unmatched) == 0)
  }

  @Test func `1.4 unbinding an object at the address of a dead long-lived object is no error`()
    throws
  {
    let successor = try successor { analyzer.registerLongLived($0) }
    analyzer.registerUnbinding(successor)
    #expect(leaks.all.isEmpty)
  }

  /// Returns an object at the address of an object that was deallocated after `use`.
  private func successor(
    onDeath: @escaping (Model) -> Void = { _ in }, of use: (Model) -> Void
  ) throws -> Model {
    let address: ObjectIdentifier
    do {
      let model = Model()
      use(model)
      address = ObjectIdentifier(model)
    }
    // All other objects are kept alive, so that one allocation reuses the freed address. Only the
    // returned object calls `onDeath`: the others are deallocated here, and would register
    // unbindings too.
    var others: [Model] = []
    for _ in 0..<1000 {
      let model = Model()
      if ObjectIdentifier(model) == address {
        model.onDeath = onDeath
        return model
      }
      others.append(model)
    }
    try Test.cancel("The allocator did not reuse the freed address; a sanitizer delays reuse.")
  }
}
