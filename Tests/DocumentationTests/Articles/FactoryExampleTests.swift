import LeakMonitoring
import LeakTesting
import Testing

private final class ProfileModel {}

private class Screen {}

private final class LoginScreen {}

private final class ProfileScreen: Screen {
  let model: ProfileModel
  init(_ model: ProfileModel) { self.model = model }
  func close() {}
}

/// Runs the examples of factories and bindings in articles and comments.
struct FactoryExampleTests {
  static let suite: FactorySuite = {
    var suite = FactorySuite()
    suite.register(ProfileScreen.self) { product in
      let screen = ProfileScreen(ProfileModel())
      product.root(screen)
      product.dependant(screen.model, named: "model")
      screen.close()
    }
    return suite
  }()

  @Test(arguments: suite.factories)
  func `what is closed is gone`(_ factory: LeakFactory) async throws {
    try await factory.check()
  }

  @Test func `every screen has a factory`() throws {
    try Self.suite.coverage(ofSubclassesOf: Screen.self).expectComplete()
  }

  @Test func `a class without a factory is named`() {
    let suite = Self.suite
    withKnownIssue {
      #expect(suite.coverage(of: [ProfileScreen.self, LoginScreen.self]) == .complete)
    } matching: { issue in
      issue.description.contains("no factory for")
    }
  }

  @Test func `a pair that is bound twice and unbound once is reported`() {
    let model = ProfileModel()
    let screen = ProfileScreen(model)
    let bindings = BindingAnalyzer()  // Or `BindingAnalyzer.shared`.
    bindings.registerBinding(model, to: screen)
    bindings.registerBinding(model, to: screen)
    bindings.registerUnbinding(model, from: screen)
    print(bindings.report.text)  // Lists each pair and its state.
    #expect(bindings.report.doublyBound.count == 1)
  }
}
