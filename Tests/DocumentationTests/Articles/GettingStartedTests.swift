import LeakMonitoring
import LeakTesting
import Testing
import WeakCollections

/// The blocks of the article *Getting started*, run.
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
      listeners.forEach { $0.hear(message) }  // No lock is held meanwhile.
    }
  }

  private final class Session: MemoryLeakMonitorable, Sendable {
    init() {
      MemoryLeakMonitor.validate(self)  // More than one alive at once is reported.
    }
  }

  @Test func `a radio tells who listens still`() {
    let radio = Radio()
    let listener = Listener()
    radio.add(listener)
    radio.add(Listener())  // Gone at once: the radio does not keep it.
    radio.say("hello")
    #expect(listener.heard == ["hello"])
  }

  @Test func `visits are counted by all threads`() async {
    let visits = AtomicDictionary<String, Int>()
    await withDiscardingTaskGroup { group in
      for _ in 0..<100 {
        group.addTask {
          visits.update("home") { $0 = ($0 ?? 0) + 1 }  // Nobody else writes it meanwhile.
        }
      }
    }
    #expect(visits["home"] == 100)
  }

  @Test func `an image is loaded once`() {
    let images = AtomicWeakValueDictionary<String, Listener>()
    let logo = images.value(forKey: "logo", orInsert: { Listener() })
    #expect(images.value(forKey: "logo") === logo)
  }

  @Test func `code with await has the actor too`() async {
    let listeners = makeWeakArray(of: Listener.self)
    let listener = Listener()
    await listeners.append(listener)
    #expect(await listeners.all.count == 1)
    withExtendedLifetime(listener) {}
  }

  @Test(.noLeaks) func `a session ends`() {
    let session = track(Session())  // Fails here if it outlives the test.
    withExtendedLifetime(session) {}
  }
}
