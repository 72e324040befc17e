import Testing
import WeakCollections

@testable import LeakMonitoring

private final class Model {
  var onChange: (() -> Void)?
}

private final class Controller {
  var model: Model?
}

/// A controller that unbinds its view model in its `deinit`.
private final class Screen {
  private let model: Model
  private let analyzer: BindingAnalyzer

  init(_ model: Model, in analyzer: BindingAnalyzer) {
    (self.model, self.analyzer) = (model, analyzer)
    analyzer.registerBinding(model, to: self)
  }

  deinit { analyzer.registerUnbinding(model, from: self) }
}

private final class DyingModel {
  private let analyzer: BindingAnalyzer

  init(in analyzer: BindingAnalyzer) {
    self.analyzer = analyzer
    analyzer.registerBinding(self)
  }

  deinit { analyzer.registerUnbinding(self) }
}

struct BindingAnalyzerTests {
  private static let module = "LeakMonitoringTests"
  static let example = BindingRecord(
    state: .released, viewModel: "App.Model", controller: nil, name: nil, viewModelIsAlive: false,
    controllerIsAlive: false, isDoublyBound: false, fileID: "App/Screen.swift", line: 7)

  private let leaks = CollectedLeaks()
  private let analyzer: BindingAnalyzer

  init() {
    analyzer = BindingAnalyzer(backend: .lockFree, reporter: leaks)
  }

  @Test func `1.1 a binding is recorded with its view model, controller, name and source location`()
  {
    let (model, controller) = (Model(), Controller())
    let line = #line + 1
    analyzer.registerBinding(model, to: controller, named: "profile")
    #expect(
      analyzer.report.counts == [
        BindingRecord(
          state: .bound, viewModel: "\(Self.module).Model", controller: "\(Self.module).Controller",
          name: "profile", viewModelIsAlive: true, controllerIsAlive: true, isDoublyBound: false,
          fileID: #fileID, line: line): 1
      ])
    withExtendedLifetime((model, controller)) {}
  }

  @Test func `1.1 the shared analyzer has the monitor's backend`() {
    #expect(BindingAnalyzer.shared.backend == MemoryLeakMonitor.shared.backend)
    #expect(BindingAnalyzer().backend == MemoryLeakMonitor().backend)
  }

  @Test func `1.2 a binding is released once it is unbound and its view model is deallocated`() {
    let kept = Model()
    analyzer.registerBinding(kept)
    do {
      let model = Model()
      analyzer.registerBinding(model)
      analyzer.registerUnbinding(model)
    }
    let report = analyzer.report
    #expect(report.count(.released) == 1 && report.count(.bound) == 1)
    #expect(report.unreleased.count == 1)
    withExtendedLifetime(kept) {}
  }

  @Test func `1.2 the report names the object that survives its unbinding`() throws {
    let model = Model()
    bindAndUnbind(model, to: Controller())
    var record = try #require(analyzer.report.unreleased.first)
    #expect(record.state == .surviving)
    #expect(record.viewModelIsAlive && !record.controllerIsAlive)
    #expect(
      record.description.hasSuffix(": unbound, but alive: \(Self.module).Model"),
      "\(record.description)")
    analyzer.removeAll()
    let controller = Controller()
    bindAndUnbind(Model(), to: controller)
    record = try #require(analyzer.report.unreleased.first)
    #expect(!record.viewModelIsAlive && record.controllerIsAlive)
    withExtendedLifetime((model, controller)) {}
  }

  @Test func `1.2 a view model that is deallocated without being unbound is abandoned`() {
    analyzer.registerBinding(Model())
    #expect(analyzer.report.count(.abandoned) == 1)
    #expect(analyzer.report.unreleased.isEmpty)
  }

  @Test func `1.2 the deinit of the controller or of the view model may unbind`() {
    withExtendedLifetime(Screen(Model(), in: analyzer)) {
      #expect(analyzer.report.count(.bound) == 1)
    }
    withExtendedLifetime(DyingModel(in: analyzer)) {}
    #expect(analyzer.report.count(.released) == 2)
    #expect(analyzer.report.counts.values.reduce(0, +) == 2)
  }

  @Test func `1.2 a double binding is reported and does not hide a missing unbinding`() {
    let (twice, once) = (Model(), Model())
    for _ in 0..<2 { analyzer.registerBinding(twice) }
    analyzer.registerBinding(once)
    // Three bindings and two unbindings: the totals do not show which model is still bound.
    for _ in 0..<2 { analyzer.registerUnbinding(twice) }
    let report = analyzer.report
    #expect(report.count(.bound) == 1 && report.count(.surviving) == 1)
    #expect(report.count(.unmatched) == 1)
    #expect(report.doublyBound.map(\.state) == [.surviving])
    #expect(report.text.contains("; bound a second time before it was unbound"))
    withExtendedLifetime((twice, once)) {}
  }

  @Test func `1.2 binding a model again after its unbinding is not a double binding`() {
    let model = Model()
    for _ in 0..<3 {
      analyzer.registerBinding(model)
      analyzer.registerUnbinding(model)
    }
    #expect(analyzer.report.doublyBound.isEmpty)
    #expect(analyzer.report.counts.count == 1)
  }

  @Test func `1.2 an unbinding without a binding is reported`() {
    let (model, controller) = (Model(), Controller())
    analyzer.registerBinding(model)
    analyzer.registerUnbinding(model, from: controller)
    #expect(analyzer.report.count(.unmatched) == 1)
    #expect(analyzer.report.count(.bound) == 1)
    withExtendedLifetime((model, controller)) {}
  }

  @Test func `1.3 a long-lived view model is in no report while it is alive`() {
    var model: Model? = Model()
    analyzer.registerBinding(model!)
    analyzer.registerLongLived(model!)
    let other = Model()
    analyzer.registerLongLived(other)
    analyzer.registerBinding(other)
    #expect(analyzer.report.counts.isEmpty)
    model = nil
    #expect(analyzer.report.count(.abandoned) == 1)
    withExtendedLifetime(other) {}
  }

  @Test func `1.4 unbinding a long-lived view model is an error, reported at the line of the call`()
    throws
  {
    let model = Model()
    analyzer.registerLongLived(model)
    analyzer.registerBinding(model)
    #expect(leaks.all.isEmpty)
    let line: UInt = #line + 1
    analyzer.registerUnbinding(model)
    let leak = try #require(leaks.all.first)
    #expect(leaks.all.count == 1 && leak.state == .leaked && leak.finding == .unbinding)
    #expect(leak.site.line == line)
    #expect(
      leak.message == "Model: an instance of \(Self.module).Model was unbound, "
        + "but it is registered as long-lived")
  }

  @Test func `1.4 unbinding a long-lived view model in its deinit is an error too`() {
    do {
      let model = DyingModel(in: analyzer)
      analyzer.registerLongLived(model)
    }
    #expect(leaks.all.map(\.finding) == [.unbinding])
  }

  @Test func `1.4 an object at the address of a dead long-lived object is not long-lived`() {
    // Enough objects to reuse addresses, where weak references let the allocator reuse memory.
    for _ in 0..<100 {
      analyzer.registerLongLived(Model())
      let model = Model()
      analyzer.registerBinding(model)
      analyzer.registerUnbinding(model)
    }
    #expect(leaks.all.isEmpty)
    #expect(analyzer.report.count(.released) == 100)
  }

  @Test func `1.4 an analyzer without a reporter reports to the current monitor's reporter`() {
    let (monitor, leaks, _) = makeClockedMonitor()
    let analyzer = BindingAnalyzer(backend: .mutex)
    let model = Model()
    analyzer.registerLongLived(model)
    analyzer.registerBinding(model)
    MemoryLeakMonitor.withIsolation(in: monitor) { analyzer.registerUnbinding(model) }
    #expect(leaks.all.map(\.finding) == [.unbinding])
  }

  @Test func `1.5 the report is a readable text that begins with unreleased bindings`() {
    let models = [Model(), Model()]
    for model in models { analyzer.registerBinding(model, named: "list") }
    let line = #line - 1
    bindAndUnbind(Model(), to: Controller())
    let lines = analyzer.report.text.split(separator: "\n")
    #expect(lines.count == 2)
    #expect(
      lines.first == """
        2 times \(Self.module).Model (list), from \(#fileID):\(line): still bound, \
        alive: \(Self.module).Model
        """)
    #expect(lines.last?.hasSuffix(": released") == true)
    withExtendedLifetime(models) {}
  }

  @Test func `1.8 a view model in a cycle is unreleased after its unbinding`() {
    let model = Model()
    model.onChange = { _ = model }
    analyzer.registerBinding(model)
    analyzer.registerUnbinding(model)
    #expect(analyzer.report.unreleased.map(\.state) == [.surviving])
    model.onChange = nil
  }

  private func bindAndUnbind(_ model: Model, to controller: Controller) {
    analyzer.registerBinding(model, to: controller)
    analyzer.registerUnbinding(model, from: controller)
  }
}
