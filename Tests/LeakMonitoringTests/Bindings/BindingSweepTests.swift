import Testing
import WeakCollections

@testable import LeakMonitoring

private final class Model {}

/// Does something as it dies.
private final class Dying {
  private let onDeath: (Dying) -> Void

  init(_ onDeath: @escaping (Dying) -> Void) { self.onDeath = onDeath }

  deinit { onDeath(self) }
}

/// What is dead is taken out, but not before its `deinit` has had the time to unbind.
struct BindingSweepTests {
  private let leaks = CollectedLeaks()
  private let analyzer: BindingAnalyzer

  init() {
    analyzer = BindingAnalyzer(backend: .lockFree, reporter: leaks)
  }

  @Test func `1.2 sweeps that overlap leave a deinit the time to unbind`() {
    bindAndRelease { analyzer in
      // As if another thread swept between the two steps of this one.
      analyzer.sweep { analyzer.sweep() }
    }
    #expect(analyzer.report.count(.released) == 1)
    #expect(analyzer.report.count(.unmatched) == 0 && analyzer.report.count(.abandoned) == 0)
  }

  @Test func `1.2 between two sweeps there are as many bindings as the least interval`() {
    let few = BindingHistory.leastInterval - 1
    // Those of before the sweep do not count.
    for _ in 0..<few { analyzer.registerBinding(Model()) }
    bindAndRelease { analyzer in
      analyzer.sweep()
      for _ in 0..<few { analyzer.registerBinding(Model()) }
    }
    #expect(analyzer.report.count(.released) == 1)
    #expect(analyzer.report.count(.unmatched) == 0)
  }

  @Test func `1.2 of two registrations that make a sweep due, one begins it`() {
    var history = BindingHistory()
    for _ in 1..<BindingHistory.leastInterval { #expect(history.noteRegistration() == nil) }
    #expect(history.noteRegistration() != nil)
    // As if another thread had decided at the same time: it comes while that sweep runs, or after its end.
    #expect(history.noteRegistration() == nil)
    history.endSweep(kept: 0)
    #expect(history.noteRegistration() == nil)
  }

  @Test func `1.2 a deinit that lasts longer than that unbinds too late`() {
    bindAndRelease { analyzer in
      for _ in 0..<2 { analyzer.sweep() }
    }
    #expect(analyzer.report.count(.unmatched) == 1 && analyzer.report.count(.abandoned) == 1)
  }

  @Test func `1.4 sweeps that overlap leave a deinit the time for its error`() {
    bindAndRelease(isLongLived: true) { analyzer in
      analyzer.sweep { analyzer.sweep() }
    }
    #expect(leaks.all.map(\.finding) == [.unbinding])
  }

  @Test func `1.3 of long-lived objects that died none are kept`() {
    let living = (0..<10).map { _ in Model() }
    for model in living { analyzer.registerLongLived(model) }
    for _ in 0..<1000 { analyzer.registerLongLived(Model()) }
    #expect(10..<200 ~= analyzer.longLivedCount)
    for model in living { analyzer.registerBinding(model) }
    #expect(analyzer.report.counts.isEmpty)
    withExtendedLifetime(living) {}
  }

  @Test func `what is forgotten while it is swept does not come back`() {
    var history = BindingHistory()
    let sweep = history.beginSweep()
    #expect(history.beginSweep() == nil)
    history.clear()
    history.add([BindingAnalyzerTests.example], of: sweep!)
    #expect(history.counts.isEmpty)
    #expect(history.beginSweep() == nil)
    history.endSweep(kept: 0)
    history.add([BindingAnalyzerTests.example], of: history.beginSweep()!)
    #expect(history.counts == [BindingAnalyzerTests.example: 1])
  }

  /// Binds an object that unbinds itself as it dies, after `delay`, and lets it go.
  private func bindAndRelease(
    isLongLived: Bool = false, _ delay: @escaping (BindingAnalyzer) -> Void
  ) {
    let model = Dying { [analyzer] model in
      delay(analyzer)
      analyzer.registerUnbinding(model)
    }
    analyzer.registerBinding(model)
    if isLongLived { analyzer.registerLongLived(model) }
  }
}
