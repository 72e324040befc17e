import LeakTesting
import RuntimeInspection
import Testing

/// An object of a typical test.
final class Thing {
  var number = 1
}

@Suite struct OverheadTests {
  @Test func `2.23 measure the cost of leak testing, and of a read through a reference`()
    async throws
  {
    let test = try #require(Test.current)
    var table = Table(try traitRows(test) + referenceRows() + inspectionRows())
    try await table.run(rounds: 11)
    print(table.text)
  }

  /// The trait's work around each test, without the runner's own time.
  private func traitRows(_ test: Test) -> [Row] {
    func row(_ name: String, _ trait: some TestScoping, _ body: @escaping @Sendable () -> Void)
      -> Row
    {
      Row(name, operations: 2000) {
        for _ in 0..<2000 {
          try await trait.provideScope(for: test, testCase: nil, performing: body)
        }
      }
    }
    return [
      row("an empty test, a trait that does nothing", Idle()) {},
      row("an empty test, `.noLeaks`", NoLeaksTrait.noLeaks(allowEmpty: true)) {},
      row("an object created and released, a trait that does nothing", Idle()) { keep(Thing()) },
      row("an object created, tracked and released, `.noLeaks`", NoLeaksTrait.noLeaks) {
        keep(track(Thing()))
      },
    ]
  }

  private func referenceRows() -> [Row] {
    let thing = Thing()
    let references = References(thing)
    func row(_ name: String, _ read: @escaping (References) -> Int) -> Row {
      Row("a read through \(name)", operations: 200_000) {
        var sum = 0
        for _ in 0..<200_000 { sum &+= read(references) }
        withExtendedLifetime(thing) { keep(sum) }
      }
    }
    return [
      row("a strong reference") { $0.strong.number },
      row("an unowned reference") { $0.unowned.number },
      row("a weak reference") { $0.weak?.number ?? 0 },
    ]
  }

  /// The search copies the process, which takes most of its time.
  private func inspectionRows() throws -> [Row] {
    let cycle = Node()
    cycle.next = Node()
    cycle.next?.next = cycle
    let chain = (0..<1000).map { _ in Node() }
    for (node, next) in zip(chain, chain.dropFirst()) { node.next = next }
    chain[999].next = chain[0]
    func search(_ name: String, _ node: Node) throws -> Row {
      guard case .path = RetainSearch().find(node) else { throw NotFound(what: name) }
      return Row(name, operations: 20) {
        for _ in 0..<20 { keep(RetainSearch().find(node)) }
      }
    }
    guard try !DeclaredClasses(in: ["OverheadTests"]).subclasses(of: Node.self).isEmpty else {
      throw NotFound(what: "a subclass")
    }
    return [
      Row("the subclasses of one class in one module", operations: 20) {
        for _ in 0..<20 {
          keep(try DeclaredClasses(in: ["OverheadTests"]).subclasses(of: Node.self))
        }
      },
      try search("a search for a retain path, a cycle of 2 objects", cycle),
      try search("a search for a retain path, a cycle of 1,000 objects", chain[0]),
      Row("the number of strong references to an object", operations: 20_000) {
        for _ in 0..<20_000 { keep(strongCount(of: cycle)) }
      },
    ]
  }
}

private class Node {
  var next: Node?
}

private final class OddNode: Node {}

/// An operation to be measured has no effect.
private struct NotFound: Error {
  let what: String
}

private struct Idle: TestTrait, TestScoping {
  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await function()
  }
}

private final class References {
  let strong: Thing
  unowned let unowned: Thing
  weak var weak: Thing?

  init(_ thing: Thing) {
    strong = thing
    unowned = thing
    weak = thing
  }
}

/// Prevents the optimizer from removing `value`.
@inline(never) @_optimize(none)
private func keep<T>(_ value: T) {}
