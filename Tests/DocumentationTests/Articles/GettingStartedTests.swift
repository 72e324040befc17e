import Testing
import WeakCollections

/// Runs the blocks of the article *Getting started*.
struct GettingStartedTests {
  private final class Listener: Sendable {
    private let messages = MutexLock<[String]>([])
    var heard: [String] { messages.read { $0 } }
    func hear(_ message: String) { messages.write { $0.append(message) } }
  }

  private final class Radio: Sendable {
    private let listeners = AtomicWeakArray<Listener>()

    func add(_ listener: Listener) { listeners.append(listener) }

    func say(_ message: String) {
      listeners.forEach { $0.hear(message) }  // Holds no lock meanwhile.
    }
  }

  @Test func `a radio reaches the listeners that are alive`() {
    let radio = Radio()
    let listener = Listener()
    radio.add(listener)
    radio.add(Listener())  // Deallocated here: the radio does not keep it alive.
    radio.say("hello")
    #expect(listener.heard == ["hello"])
  }

  @Test func `visits are counted by all threads`() async {
    let visits = AtomicDictionary<String, Int>()
    await withDiscardingTaskGroup { group in
      for _ in 0..<100 {
        group.addTask {
          visits.update("home") { $0 = ($0 ?? 0) + 1 }  // No other thread writes it meanwhile.
        }
      }
    }
    #expect(visits["home"] == 100)
  }

  @Test func `an image is loaded once`() {
    let images = AtomicWeakValueDictionary<String, Listener>()
    let logo = images.value(forKey: "logo", orInsert: { Listener() })
    #expect(images.value(forKey: "logo") === logo)
    var sizes = WeakKeyDictionary<Listener, Int>()
    sizes[logo] = 42  // Removed after the last strong reference to `logo` is gone.
    #expect(sizes[logo] == 42)
  }

  @Test func `code with await has the actor too`() async {
    let listeners = makeWeakArray(of: Listener.self)
    let listener = Listener()
    await listeners.append(listener)
    #expect(await listeners.all.count == 1)
    withExtendedLifetime(listener) {}
  }
}
