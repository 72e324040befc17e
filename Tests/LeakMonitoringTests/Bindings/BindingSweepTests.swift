import LeakMonitoring
import Testing
import Threading
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
    // As if another thread had decided at the same time: it comes while that sweep runs, or after
    // its end.
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

private final class KeptModel {}

/// What an analyzer keeps, and what it is over.
struct BindingUpkeepTests {
  private let leaks = CollectedLeaks()
  private let analyzer: BindingAnalyzer

  init() {
    analyzer = BindingAnalyzer(backend: .lockFree, reporter: leaks)
  }

  @Test func `nothing is kept of what is over but counts`() {
    for _ in 0..<1000 {
      let model = KeptModel()
      analyzer.registerBinding(model)
      analyzer.registerUnbinding(model)
    }
    for _ in 0..<1000 { analyzer.registerBinding(KeptModel()) }
    #expect(analyzer.report.count(.released) == 1000)
    #expect(analyzer.report.count(.abandoned) == 1000)
    #expect(analyzer.report.counts.count == 2)
    #expect(analyzer.entryCount < 200)
  }

  @Test func `removeAll forgets everything`() {
    let model = KeptModel()
    analyzer.registerLongLived(model)
    analyzer.removeAll()
    analyzer.registerBinding(model)
    analyzer.registerUnbinding(model)
    #expect(leaks.all.isEmpty && analyzer.report.count(.surviving) == 1)
    analyzer.removeAll()
    #expect(analyzer.report == BindingReport())
  }

  @Test func `an analyzer over an actor traps`() async {
    await #expect(processExitsWith: .failure) { _ = BindingAnalyzer(backend: .actor) }
  }
}

private final class SharedModel: Sendable {}

@Suite(.serialized, .timeLimit(.minutes(10)))
struct BindingThreadsTests {
  private static let (threads, each) = (4, 300)

  @Test(arguments: Backend.allCases.filter(\.isSynchronous))
  func `1.2 threads lose no binding and no unbinding`(_ backend: Backend) async {
    let leaks = CollectedLeaks()
    let analyzer = BindingAnalyzer(backend: backend, reporter: leaks)
    let kept = await onOwnThreads(Self.threads) { _ in
      (0..<Self.each).compactMap { round -> SharedModel? in
        let model = SharedModel()
        analyzer.registerBinding(model)
        // One in three is never unbound, and lives; one in three is never unbound, and dies.
        if round % 3 == 0 { return model }
        if round % 3 == 1 { analyzer.registerUnbinding(model) }
        return nil
      }
    }
    let report = analyzer.report
    let third = Self.threads * Self.each / 3
    #expect(report.count(.bound) == third)
    #expect(report.count(.released) == third)
    #expect(report.count(.abandoned) == third)
    #expect(report.counts.values.reduce(0, +) == 3 * third)
    withExtendedLifetime(kept) {}
  }

  @Test(arguments: Backend.allCases.filter(\.isSynchronous))
  func `1.2 threads that bind one view model make one binding`(_ backend: Backend) async {
    let analyzer = BindingAnalyzer(backend: backend)
    let model = SharedModel()
    _ = await onOwnThreads(Self.threads) { _ in
      for _ in 0..<Self.each { analyzer.registerBinding(model) }
    }
    #expect(analyzer.report.counts.values.reduce(0, +) == 1)
    #expect(analyzer.report.doublyBound.map(\.state) == [.bound])
    withExtendedLifetime(model) {}
  }

  @Test(arguments: Backend.allCases.filter(\.isSynchronous))
  func `1.4 of threads that unbind a long-lived view model each is told of`(
    _ backend: Backend
  ) async {
    let leaks = CollectedLeaks()
    let analyzer = BindingAnalyzer(backend: backend, reporter: leaks)
    let model = SharedModel()
    analyzer.registerLongLived(model)
    analyzer.registerBinding(model)
    _ = await onOwnThreads(Self.threads) { _ in
      for _ in 0..<10 { analyzer.registerUnbinding(model) }
    }
    #expect(leaks.all.count == Self.threads * 10)
    withExtendedLifetime(model) {}
  }
}
