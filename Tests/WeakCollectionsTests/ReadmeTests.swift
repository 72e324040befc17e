import Foundation
import Testing
import WeakCollections

final class Listener: Sendable {
  func hear() {}
}

@Suite struct ReadmeTests {
  @Test func `the first example does what it says`() {
    let listeners = AtomicWeakArray<Listener>()
    var listener: Listener? = Listener()
    listeners.append(listener!)
    listeners.forEach { $0.hear() }
    listener = nil
    assert(listeners.all.isEmpty)

    let visits = AtomicDictionary<String, Int>()
    let count = visits.update("home") { value in
      value = (value ?? 0) + 1
      return value!
    }
    assert(count == 1)
  }

  @Test func `the second example does what it says`() {
    // One entry for each object, told apart by identity.
    let sessions = AtomicWeakSet<Listener>()
    let session = Listener()
    assert(sessions.insert(session).inserted)
    assert(!sessions.insert(session).inserted)

    // Exact: all who hold the value for a key at once hold the same.
    let images = AtomicWeakValueDictionary<String, Listener>()
    let logo = images.value(forKey: "logo", orInsert: { Listener() })
    assert(images.value(forKey: "logo") === logo)

    // A value goes with its key; not for several threads.
    var sizes = WeakKeyDictionary<Listener, Int>()
    sizes[logo] = 42
    assert(sizes.count == 1)
  }

  @Test(arguments: [0, 1])
  func `every line of the first two examples is in this file`(_ number: Int) throws {
    let file = URL(fileURLWithPath: #filePath)
    let root = file.deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let readme = try String(contentsOf: root.appendingPathComponent("README.md"), encoding: .utf8)
    let example = readme.components(separatedBy: "```swift\n")[number + 1]
      .components(separatedBy: "```")[0]
    let compiled = Set(
      try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map(trimmed))
    let lines = example.split(separator: "\n").map(trimmed)
    #expect(lines.count > 10)
    for line in lines { #expect(compiled.contains(line), "not compiled: \(line)") }
  }

  private func trimmed(_ line: Substring) -> String {
    line.trimmingCharacters(in: .whitespaces)
  }
}
