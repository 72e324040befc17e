import LeakTesting
import Testing

final class BrokenPerson {
  var apartment: BrokenApartment?
}

final class BrokenApartment {
  var tenant: BrokenPerson?
}

final class FixedPerson {
  var apartment: FixedApartment?
}

final class FixedApartment {
  weak var tenant: FixedPerson?
}

struct RetainCycleTests {
  func leak() async -> ReportedLeak? {
    await reportedLeak {
      let person = BrokenPerson()
      person.apartment = BrokenApartment()
      person.apartment?.tenant = person
      return person
    } endLeak: {
      $0.apartment = nil
    }
  }

  func twin() -> AnyObject {
    let person = FixedPerson()
    person.apartment = FixedApartment()
    person.apartment?.tenant = person
    return person
  }

  @Test func `1.8 a person and an apartment that retain each other are reported`() async {
    let leak = await self.leak()
    #expect(
      leak?.isHeld(by: ".tenant -> LeakTestingTests.BrokenPerson") == true,
      "\(leak?.description ?? "not reported")")
  }

  @Test(.noLeaks) func `1.8 an apartment with a weak tenant is no leak`() {
    let person = track(FixedPerson())
    person.apartment = track(FixedApartment())
    person.apartment?.tenant = person
  }
}

protocol ListDelegate: AnyObject {
  func didSelect(_ row: Int)
}

/// The screen retains its list, and the list its delegate, which is the screen.
final class BrokenList {
  var delegate: (any ListDelegate)?
}

final class BrokenListScreen: ListDelegate {
  let list = BrokenList()
  private(set) var selected: Int?

  init() { list.delegate = self }

  func didSelect(_ row: Int) { selected = row }
}

/// The property can be weak because the protocol inherits from `AnyObject`.
final class FixedList {
  weak var delegate: (any ListDelegate)?
}

final class FixedListScreen: ListDelegate {
  let list = FixedList()
  private(set) var selected: Int?

  init() { list.delegate = self }

  func didSelect(_ row: Int) { selected = row }
}

struct DelegateTrapTests {
  func leak() async -> ReportedLeak? {
    await reportedLeak {
      BrokenListScreen()
    } endLeak: {
      $0.list.delegate = nil
    }
  }

  func twin() -> AnyObject { FixedListScreen() }

  @Test func `2.15 1.8 a strong delegate is reported`() async {
    let leak = await self.leak()
    #expect(
      leak?.isHeld(by: ".delegate -> LeakTestingTests.BrokenListScreen") == true,
      "\(leak?.description ?? "not reported")")
  }

  @Test(.noLeaks) func `2.15 1.8 a weak delegate is no leak`() {
    let screen = track(FixedListScreen())
    screen.list.delegate?.didSelect(3)
    #expect(screen.selected == 3)
  }
}

/// A lazy property retains its closure, and the closure its captures.
final class BrokenGreeter {
  let name: String
  lazy var greeting: () -> String = { "Hello, \(self.name)." }

  init(name: String) { self.name = name }
}

final class FixedGreeter {
  let name: String
  lazy var greeting: () -> String = { [weak self] in "Hello, \(self?.name ?? "whoever you are")." }

  init(name: String) { self.name = name }
}

/// A closure that is called immediately is released after the call: the property stores its result.
final class AppliedGreeter {
  let name: String
  lazy var greeting: String = { "Hello, \(self.name)." }()

  init(name: String) { self.name = name }
}

struct LazyClosureTrapTests {
  func leak() async -> ReportedLeak? {
    await reportedLeak {
      let greeter = BrokenGreeter(name: "Ann")
      _ = greeter.greeting()
      return greeter
    } endLeak: {
      $0.greeting = { "" }
    }
  }

  func twin() -> AnyObject {
    let greeter = FixedGreeter(name: "Ann")
    _ = greeter.greeting()
    return greeter
  }

  @Test func `2.17 a lazy closure that captures its owner is reported after its first use`() async {
    let leak = await self.leak()
    #expect(
      leak?.isHeld(by: ".greeting -> closure") == true, "\(leak?.description ?? "not reported")")
  }

  @Test(.noLeaks)
  func `2.17 a lazy closure that captures weakly, or was not used, is no leak`() {
    let greeter = track(FixedGreeter(name: "Ann"))
    #expect(greeter.greeting() == "Hello, Ann.")
    track(BrokenGreeter(name: "Bob"))
  }

  @Test(.noLeaks) func `2.17 a closure that is called immediately is no leak`() {
    let greeter = track(AppliedGreeter(name: "Ann"))
    #expect(greeter.greeting == "Hello, Ann.")
  }
}

/// The outer closure captures the search weakly, but the inner closure captures the strong `self`
/// of `guard let self`.
final class BrokenSearch {
  private(set) var results: [String] = []
  var onSubmit: ((String) -> Void)?
  var onResult: ((String) -> Void)?

  func open() {
    onSubmit = { [weak self] query in
      guard let self else { return }
      onResult = { result in self.results.append("\(query): \(result)") }
    }
  }
}

final class FixedSearch {
  private(set) var results: [String] = []
  var onSubmit: ((String) -> Void)?
  var onResult: ((String) -> Void)?

  func open() {
    onSubmit = { [weak self] query in
      guard let self else { return }
      onResult = { [weak self] result in self?.results.append("\(query): \(result)") }
    }
  }
}

struct NestedClosureTrapTests {
  func leak() async -> ReportedLeak? {
    await reportedLeak {
      let search = BrokenSearch()
      search.open()
      search.onSubmit?("weak")
      search.onResult?("reference")
      return search
    } endLeak: {
      $0.onResult = nil
    }
  }

  func twin() -> AnyObject {
    let search = FixedSearch()
    search.open()
    search.onSubmit?("weak")
    return search
  }

  @Test func `2.14 an inner closure that captures the unwrapped self is reported`() async {
    let leak = await self.leak()
    #expect(
      leak?.isHeld(by: ".onResult -> closure") == true, "\(leak?.description ?? "not reported")")
  }

  @Test(.noLeaks) func `2.14 an inner closure that captures self weakly again is no leak`() {
    let search = track(FixedSearch())
    search.open()
    search.onSubmit?("weak")
    search.onResult?("reference")
    #expect(search.results == ["weak: reference"])
  }
}

final class Button {
  var onTap: (() -> Void)?
}

/// `submit` used as a value is a closure that captures the form.
final class BrokenForm {
  let button = Button()
  private(set) var isSubmitted = false

  init() { button.onTap = submit }

  private func submit() { isSubmitted = true }
}

final class FixedForm {
  let button = Button()
  private(set) var isSubmitted = false

  init() { button.onTap = { [weak self] in self?.submit() } }

  private func submit() { isSubmitted = true }
}

struct MethodReferenceTrapTests {
  func leak() async -> ReportedLeak? {
    await reportedLeak {
      BrokenForm()
    } endLeak: {
      $0.button.onTap = nil
    }
  }

  func twin() -> AnyObject { FixedForm() }

  @Test func `2.16 a method that is used as a closure is reported`() async {
    let leak = await self.leak()
    #expect(leak?.isHeld(by: ".onTap -> closure") == true, "\(leak?.description ?? "not reported")")
  }

  @Test(.noLeaks)
  func `2.16 a closure that captures weakly and calls the method is no leak`() {
    let form = track(FixedForm())
    form.button.onTap?()
    #expect(form.isSubmitted)
  }
}

/// A card always has a customer, who retains it: `unowned` is right, and there is no leak.
final class Card {
  unowned let owner: Customer

  init(of owner: Customer) { self.owner = owner }
}

final class Customer {
  let name: String
  private(set) var card: Card?

  init(name: String) {
    self.name = name
    card = track(Card(of: self))
  }
}

struct UnownedTrapTests {
  @Test(.noLeaks) func `2.18 an unowned reference to an owner that lives longer is no leak`() {
    let customer = track(Customer(name: "Ann"))
    #expect(customer.card?.owner.name == "Ann")
  }
}
