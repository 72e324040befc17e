import RuntimeInspection
import Testing

@testable import LeakTesting

private let module = "LeakTestingTests"

@Suite struct FactoryCoverageTests {
  @Test func `1.7 missing and unneeded factories are named, even if their number is right`() {
    let suite = suite(of: Letter.self, Printer.self)
    #expect(suite.coverage(of: [Printer.self, Letter.self]) == .complete)
    let coverage = suite.coverage(of: [Letter.self, Bound.self, Bound.self])
    #expect(coverage.missing == ["\(module).Bound"] && coverage.unneeded == ["\(module).Printer"])
    #expect(
      "\(coverage)" == "no factory for \(module).Bound; unneeded factory for \(module).Printer")
    #expect("\(FactoryCoverage.complete)" == "complete")
  }

  @Test func `1.7 each subclass in the base's module needs a factory, except for exceptions`()
    throws
  {
    let coverage = try suite(of: Letter.self, Printer.self)
      .coverage(ofSubclassesOf: Document.self, except: ["\(module).Bound"])
    #expect(coverage.missing == ["Bound.Book", "Draft", "Form"].map { "\(module).\($0)" })
    #expect(coverage.unneeded == ["\(module).Printer"])
    let suite = suite(of: Letter.self, Bound.Book.self, Form<Int>.self)
    #expect(
      try suite.coverage(
        ofSubclassesOf: Document.self, except: ["\(module).Bound", "\(module).Draft"]) == .complete)
  }

  @Test func `1.7 the base may have a factory, or be an exception`() throws {
    let suite = suite(of: Bound.Book.self, Bound.self)
    #expect(try suite.coverage(ofSubclassesOf: Bound.self) == .complete)
    #expect(
      try self.suite(of: Bound.Book.self)
        .coverage(ofSubclassesOf: Bound.self, except: ["\(module).Bound"]) == .complete)
  }

  @Test func `1.7 conformers need a factory, including actors and private classes`() throws {
    let coverage = try suite(of: Letter.self, Bound.self).coverage { $0 is any Printable.Type }
    #expect(coverage.missing == ["\(module).Draft", "\(module).Printer"])
    #expect(coverage.unneeded == ["\(module).Bound"])
  }

  @Test func `1.7 an incomplete coverage fails the test at its line, with all names`() throws {
    let suite = suite(of: Letter.self)
    let failures = RecordedFailures()
    let line: UInt = #line + 2
    try failures.run {
      try suite.coverage(ofSubclassesOf: Bound.self).expectComplete()
      FactoryCoverage.complete.expectComplete()
    }
    let message =
      "the classes and their factories differ: no factory for \(module).Bound.Book; "
      + "unneeded factory for \(module).Letter"
    #expect(failures.all == [FixtureFailure(message: message, line: line)])
  }

  @Test func `1.7 exceptions without a class, and modules without classes, are reported`() throws {
    let coverage = try suite(of: Bound.Book.self).coverage(
      ofSubclassesOf: Bound.self, in: [module, "Applicaton"], except: ["\(module).Boat"])
    #expect(
      "\(coverage)" == "exception without a class \(module).Boat; "
        + "no class in the module Applicaton")
  }

  @Test func `1.7 a coverage without any class is incomplete, unless it is allowed`() throws {
    let suite = FactorySuite()
    let coverages = [
      suite.coverage(of: []), try suite.coverage(ofSubclassesOf: Letter.self),
      try suite.coverage { _ in false },
    ]
    #expect(coverages.map(\.description) == Array(repeating: "no class to cover", count: 3))
    #expect(!coverages.contains(.complete))
    let allowed = [
      suite.coverage(of: [], allowEmpty: true),
      try suite.coverage(ofSubclassesOf: Letter.self, allowEmpty: true),
      try suite.coverage(allowEmpty: true) { _ in false },
    ]
    #expect(allowed.allSatisfy { $0 == .complete })
  }

  @Test func `1.7 where classes cannot be enumerated, registered classes are required`() throws {
    let unavailable = RuntimeCapability.unavailable("no sections")
    #expect(throws: ClassesUnavailable.self) {
      try Candidates(in: [module], or: nil, capability: unavailable)
    }
    let types: [AnyClass] = [Letter.self, Printer.self]
    let candidates = try Candidates(in: [module], or: types, capability: unavailable)
    #expect(
      candidates.classes.subclasses(of: Document.self).map(\.name) == ["\(module).Letter"])
    #expect(candidates.emptyModules.isEmpty)
    // Where classes can be enumerated, the incomplete list of registered classes is ignored.
    #expect(try Candidates(in: [module], or: types).classes.all.count > types.count)
  }

  private func suite(of types: AnyClass...) -> FactorySuite {
    var suite = FactorySuite()
    for type in types { suite.register(type) { _ in } }
    return suite
  }
}
