import LeakMonitoring
import Testing
import Threading
import WeakCollections

private final class Model: Sendable {}

@Suite(.serialized, .timeLimit(.minutes(10)))
struct BindingThreadsTests {
  private static let (threads, each) = (4, 300)

  @Test(arguments: Backend.allCases.filter(\.isSynchronous))
  func `1.2 threads lose no binding and no unbinding`(_ backend: Backend) async {
    let leaks = CollectedLeaks()
    let analyzer = BindingAnalyzer(backend: backend, reporter: leaks)
    let kept = await onOwnThreads(Self.threads) { _ in
      (0..<Self.each).compactMap { round -> Model? in
        let model = Model()
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
    let model = Model()
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
    let model = Model()
    analyzer.registerLongLived(model)
    analyzer.registerBinding(model)
    _ = await onOwnThreads(Self.threads) { _ in
      for _ in 0..<10 { analyzer.registerUnbinding(model) }
    }
    #expect(leaks.all.count == Self.threads * 10)
    withExtendedLifetime(model) {}
  }
}
