import Testing

/// What the documentation shows in Swift is compiled: each block stands, line for line, in a test.
struct SnippetTests {
  private static let compiled = Result {
    CompiledCode(try Checkout.tests.map(Checkout.text))
  }

  @Test func `every block of the pages is in a test`() throws {
    let snippets = try Checkout.pages.flatMap { page in
      Snippet.all(inPage: try Checkout.text(of: page), named: page)
    }
    #expect(snippets.count > 10)
    let uncompiled = try uncompiled(snippets)
    #expect(uncompiled == [])
  }

  @Test func `every block of the documentation comments is in a test`() throws {
    let snippets = try Checkout.sources.flatMap { source in
      Snippet.all(inSource: try Checkout.text(of: source), named: source)
    }
    #expect(snippets.count > 10)
    let uncompiled = try uncompiled(snippets)
    #expect(uncompiled == [])
  }

  /// Where the blocks begin that no test has.
  private func uncompiled(_ snippets: [Snippet]) throws -> [String] {
    let compiled = try Self.compiled.get()
    return snippets.filter { !compiled.contains($0) }.map(\.place)
  }
}
