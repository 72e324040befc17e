import Testing
import WeakCollections

@testable import LeakMonitoring

private final class Model {}

/// What an analyzer keeps, and what it is over.
struct BindingUpkeepTests {
  private let leaks = CollectedLeaks()
  private let analyzer: BindingAnalyzer

  init() {
    analyzer = BindingAnalyzer(backend: .lockFree, reporter: leaks)
  }

  @Test func `nothing is kept of what is over but counts`() {
    for _ in 0..<1000 {
      let model = Model()
      analyzer.registerBinding(model)
      analyzer.registerUnbinding(model)
    }
    for _ in 0..<1000 { analyzer.registerBinding(Model()) }
    #expect(analyzer.report.count(.released) == 1000)
    #expect(analyzer.report.count(.abandoned) == 1000)
    #expect(analyzer.report.counts.count == 2)
    #expect(analyzer.entryCount < 200)
  }

  @Test func `removeAll forgets everything`() {
    let model = Model()
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
