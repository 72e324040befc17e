import LeakTesting
import Testing

/// A lazy property that is a closure keeps it, and the closure what it captures.
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

/// A closure that is called at once is gone at once: the property is its result.
final class AppliedGreeter {
  let name: String
  lazy var greeting: String = { "Hello, \(self.name)." }()

  init(name: String) { self.name = name }
}

struct LazyClosureTrapTests {
  @Test func `2.17 a lazy closure that captures its owner is reported once it was used`() async {
    let leak = await reportedLeak {
      let greeter = BrokenGreeter(name: "Ann")
      _ = greeter.greeting()
      return greeter
    } mend: {
      $0.greeting = { "" }
    }
    #expect(
      leak?.isHeld(by: ".greeting -> closure") == true, "\(leak?.description ?? "not reported")")
  }

  @Test(.noLeaks) func `2.17 one that captures it weakly, or that was not used, is not`() {
    let greeter = track(FixedGreeter(name: "Ann"))
    #expect(greeter.greeting() == "Hello, Ann.")
    track(BrokenGreeter(name: "Bob"))
  }

  @Test(.noLeaks) func `2.17 one that is applied at once is no leak`() {
    let greeter = track(AppliedGreeter(name: "Ann"))
    #expect(greeter.greeting == "Hello, Ann.")
  }
}
