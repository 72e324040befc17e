import Testing

struct CompiledCodeTests {
  private let code = CompiledCode(["import A\n  func f() {\n    g(1)\n    h()\n  }\n"])

  private func found(_ block: String) -> Bool {
    let page = "Text.\n\n```swift\n\(block)\n```\n\n```sh\nls\n```\n"
    let snippets = Snippet.all(inPage: page, named: "page")
    #expect(snippets.map(\.place) == ["page:3"])
    return snippets.allSatisfy(code.contains)
  }

  @Test func `a block is found whatever its indentation`() {
    #expect(found("func f() {\n  g(1)\n  h()\n}"))
  }

  @Test func `a block that differs in one sign is not`() {
    #expect(!found("func f() {\n  g(2)\n  h()\n}"))
  }

  @Test func `a block that leaves out a line is not`() {
    #expect(!found("func f() {\n  h()\n}"))
  }

  @Test func `an ellipsis stands for what was left out`() {
    #expect(found("func f() {\n  …\n  h()\n}"))
    #expect(found("func f() { … }"))
  }

  @Test func `an empty line too, but not for another order`() {
    #expect(found("import A\n\nh()"))
    #expect(!found("h()\n\nimport A"))
  }

  @Test func `two files are not one`() {
    let page = "```swift\na()\n\nb()\n```"
    let snippets = Snippet.all(inPage: page, named: "page")
    #expect(snippets.count == 1)
    #expect(!CompiledCode(["a()", "b()"]).contains(snippets[0]))
  }

  @Test func `comments are read without their slashes`() {
    let source = "  /// Text.\n  ///\n  /// ```swift\n  /// g(1)\n  /// h()\n  /// ```\n  func f()"
    let snippets = Snippet.all(inSource: source, named: "f")
    #expect(snippets.map(\.place) == ["f:3"])
    #expect(snippets.flatMap(\.parts) == ["g(1) h()"])
  }
}
