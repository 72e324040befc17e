import LeakMonitoring
import Testing
import Threading
import WeakCollections

@testable import LeakMonitoring

private final class Model {}

/// An object that calls a closure in its `deinit`.
private final class Dying {
  private let onDeath: (Dying) -> Void

  init(_ onDeath: @escaping (Dying) -> Void) { self.onDeath = onDeath }

  deinit { onDeath(self) }
}

/// A sweep removes the bindings of deallocated objects, but leaves their `deinit` time to unbind.
struct BindingSweepTests {
  private let leaks = CollectedLeaks()
  private let analyzer: BindingAnalyzer

  init() {
    analyzer = BindingAnalyzer(backend: .lockFree, reporter: leaks)
  }

  @Test func `1.2 overlapping sweeps leave a deinit the time to unbind`() {
    bindAndRelease { analyzer in
      // Simulates another thread that sweeps between the two steps of this sweep.
      analyzer.sweep { analyzer.sweep() }
    }
    #expect(analyzer.report.count(.released) == 1)
    #expect(analyzer.report.count(.unmatched) == 0 && analyzer.report.count(.abandoned) == 0)
  }

  @Test func `1.2 at least the minimum number of bindings separates two sweeps`() {
    let few = BindingHistory.leastInterval - 1
    // Bindings before the sweep do not count.
    for _ in 0..<few { analyzer.registerBinding(Model()) }
    bindAndRelease { analyzer in
      analyzer.sweep()
      for _ in 0..<few { analyzer.registerBinding(Model()) }
    }
    #expect(analyzer.report.count(.released) == 1)
    #expect(analyzer.report.count(.unmatched) == 0)
  }

  @Test func `1.2 if two registrations make a sweep due, one of them begins it`() {
    var history = BindingHistory()
    for _ in 1..<BindingHistory.leastInterval { #expect(history.noteRegistration() == nil) }
    #expect(history.noteRegistration() != nil)
    // Simulates another thread that decided concurrently: it registers during that sweep, or after
    // its end.
    #expect(history.noteRegistration() == nil)
    history.endSweep(kept: 0)
    #expect(history.noteRegistration() == nil)
  }

  @Test func `1.2 a deinit that runs through two sweeps unbinds too late`() {
    bindAndRelease { analyzer in
      for _ in 0..<2 { analyzer.sweep() }
    }
    #expect(analyzer.report.count(.unmatched) == 1 && analyzer.report.count(.abandoned) == 1)
  }

  @Test func `1.4 overlapping sweeps leave a deinit the time to report its error`() {
    bindAndRelease(isLongLived: true) { analyzer in
      analyzer.sweep { analyzer.sweep() }
    }
    #expect(leaks.all.map(\.finding) == [.unbinding])
  }

  @Test func `1.3 the analyzer removes long-lived objects that were deallocated`() {
    let living = (0..<10).map { _ in Model() }
    for model in living { analyzer.registerLongLived(model) }
    for _ in 0..<1000 { analyzer.registerLongLived(Model()) }
    #expect(10..<200 ~= analyzer.longLivedCount)
    for model in living { analyzer.registerBinding(model) }
    #expect(analyzer.report.counts.isEmpty)
    withExtendedLifetime(living) {}
  }

  @Test func `records that are cleared during a sweep do not reappear`() {
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

  /// Binds an object that unbinds itself in its `deinit`, after `delay`, and releases it.
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

/// What an analyzer stores, and which backends it accepts.
struct BindingUpkeepTests {
  private let leaks = CollectedLeaks()
  private let analyzer: BindingAnalyzer

  init() {
    analyzer = BindingAnalyzer(backend: .lockFree, reporter: leaks)
  }

  @Test func `the analyzer stores only counts of completed bindings`() {
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

  @Test func `removeAll removes all bindings, counts and long-lived objects`() {
    let model = KeptModel()
    analyzer.registerLongLived(model)
    analyzer.removeAll()
    analyzer.registerBinding(model)
    analyzer.registerUnbinding(model)
    #expect(leaks.all.isEmpty && analyzer.report.count(.surviving) == 1)
    analyzer.removeAll()
    #expect(analyzer.report == BindingReport())
  }
}

private final class SharedModel: Sendable {}

@Suite(.serialized, .timeLimit(.minutes(10)))
struct BindingThreadsTests {
  private static let (threads, each) = (4, 300)

  @Test(arguments: Backend.allCases.filter(\.isSynchronous))
  func `1.2 concurrent threads lose no binding and no unbinding`(_ backend: Backend) async {
    let leaks = CollectedLeaks()
    let analyzer = BindingAnalyzer(backend: backend, reporter: leaks)
    let kept = await onOwnThreads(Self.threads) { _ in
      (0..<Self.each).compactMap { round -> SharedModel? in
        let model = SharedModel()
        analyzer.registerBinding(model)
        // A third of the models is never unbound and stays alive; another third is never unbound
        // and is deallocated.
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
  func `1.2 concurrent bindings of one view model make one binding`(_ backend: Backend) async {
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
  func `1.4 each of the concurrent unbindings of a long-lived view model is reported`(
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
