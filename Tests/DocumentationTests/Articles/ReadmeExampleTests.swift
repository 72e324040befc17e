import Foundation
import LeakTesting
import Testing
import WeakCollections

private final class Screen {
  func close() {}
}

/// Runs the examples of the README, and checks what else it shows.
struct ReadmeExampleTests {
  @Test func `a deallocated listener is not in the array`() {
    final class Listener: Sendable {
      func receive(_ message: String) { print(message) }
    }
    let listeners = AtomicWeakArray<Listener>()
    var listener: Listener? = Listener()
    listeners.append(listener!)  // Does not keep the listener alive.
    listeners.forEach { $0.receive("hello") }  // Holds no lock meanwhile.
    listener = nil
    assert(listeners.isEmpty)
    #expect(listeners.isEmpty)
  }

  @Test(.noLeaks) func `a closed screen is deallocated`() {
    let screen = track(Screen())
    screen.close()
  }

  @Test func `the report is the one that the article shows`() throws {
    let report = try Checkout.textBlocks(of: Checkout.findingALeak)[1]
    let shown = try Checkout.textBlocks(of: "README.md")
    #expect(shown.contains(report))
  }

  @Test func `the products that the README names are in the manifest`() throws {
    let manifest = try Checkout.text(of: "Package.swift")
    let products = try Checkout.text(of: "README.md").components(separatedBy: ".product(name: \"")
      .dropFirst().map { String($0.prefix { $0 != "\"" }) }
    #expect(products.count > 1)
    let missing = products.filter { !manifest.contains(".library(name: \"\($0)\"") }
    #expect(missing == [])
  }
}
