import Testing
import WeakCollections

@testable import LeakTesting

private class Model {
  var onChange: (() -> Void)?
  weak var weakDelegate: Page?
  var strongDelegate: Page?
}

private class Page {
  let model = Model()

  func close() {}
}

private final class ListPage: Page {}

/// The example of a cycle in *The Swift Programming Language*.
private final class Person {
  var apartment: Apartment?
}

private final class Apartment {
  var tenant: Person?
}

@Suite(.timeLimit(.minutes(10)))
struct FactoryCyclesTests {
  private let cycles = PageCycles()

  @Test func `1.8 a closure's cycle is found, a weak capture makes none`() async {
    var suite = FactorySuite()
    suite.register(Page.self) { product in
      let page = Page()
      page.model.onChange = { page.close() }
      product.root(page)
      product.dependant(page.model, named: "model")
      cycles.add(page.model) { $0.onChange = nil }
    }
    suite.register(ListPage.self) { product in
      let page = ListPage()
      page.model.onChange = { [weak page] in page?.close() }
      product.root(page)
    }
    #expect(await suite.survivors() == ["Page", "Page.model"])
  }

  @Test func `1.8 a strong delegate's cycle is found, a weak delegate makes none`() async {
    var suite = FactorySuite()
    suite.register(Page.self) { product in
      let page = Page()
      page.model.strongDelegate = page
      product.root(page)
      cycles.add(page.model) { $0.strongDelegate = nil }
    }
    suite.register(ListPage.self) { product in
      let page = ListPage()
      page.model.weakDelegate = page
      product.root(page)
    }
    #expect(await suite.survivors() == ["Page"])
  }

  @Test func `1.8 the person and the apartment are both found`() async {
    var suite = FactorySuite()
    suite.register(Person.self) { product in
      let (john, apartment) = (Person(), Apartment())
      (john.apartment, apartment.tenant) = (apartment, john)
      product.root(john)
      product.dependant(apartment, named: "apartment")
      cycles.add(john) { $0.apartment = nil }
    }
    #expect(await suite.survivors() == ["Person", "Person.apartment"])
  }
}

/// Breaks the cycles of a test at its end, so that no object is leaked.
private final class PageCycles: Sendable {
  private let breaks = MutexLock<[@Sendable () -> Void]>([])

  func add<Object: AnyObject>(
    _ object: Object, _ body: @escaping @Sendable (Object) -> Void
  ) {
    nonisolated(unsafe) let reference = WeakReference(object)  // Used after the check is over.
    breaks.write { $0.append { reference.promote().map(body) } }
  }

  deinit { breaks.read { copy $0 }.forEach { $0() } }
}
