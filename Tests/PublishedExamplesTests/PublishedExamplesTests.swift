import Testing
import WeakCollections

// The published examples, rewritten from their description, in code without `ExistentialAny`:
// protocol names stand without `any`.

protocol EventListener: AnyObject {
  func received(_ event: String)
}

/// Notifies every listener of every event and retains none of them.
final class EventBroadcaster {
  @WeakArray private var listeners: [EventListener] = []

  func subscribe(_ listener: EventListener) {
    listeners.append(listener)
  }

  func notifyAll(_ event: String) {
    for listener in listeners { listener.received(event) }
  }
}

final class Log {
  var lines: [String] = []
}

final class LoggingListener: EventListener {
  let name: String
  let log: Log

  init(_ name: String, _ log: Log) {
    self.name = name
    self.log = log
  }

  func received(_ event: String) { log.lines.append("\(name): \(event)") }
}

protocol MyDelegate: AnyObject, Sendable {
  var number: Int { get }
}

final class NumberedDelegate: MyDelegate {
  let number: Int
  init(_ number: Int) { self.number = number }
}

struct PublishedExamplesTests {
  @Test func `0.1 a weak object of a protocol by its bare name`() {
    var delegate: NumberedDelegate? = NumberedDelegate(1)
    let weakDelegate = WeakObject<MyDelegate>(delegate!)
    #expect(weakDelegate.value?.number == 1)
    delegate = nil
    #expect(weakDelegate.value == nil)
  }

  @Test func `0.2 a weak array property with and without an initial value`() {
    final class Holder {
      @WeakArray var filled: [MyDelegate] = []
      @WeakArray var declared: [MyDelegate]
    }
    let holder = Holder()
    let first = NumberedDelegate(1)
    var second: NumberedDelegate? = NumberedDelegate(2)
    holder.filled.append(first)
    holder.filled.append(second!)
    holder.filled.append(first)
    holder.declared.append(first)
    #expect(holder.filled.map(\.number) == [1, 2, 1])
    second = nil
    #expect(holder.filled.map(\.number) == [1, 1])
    #expect(holder.declared.map(\.number) == [1])
  }

  @Test func `0.3 a broadcaster notifies live subscribers in order and retains none`() {
    let log = Log()
    let broadcaster = EventBroadcaster()
    let first = LoggingListener("first", log)
    var second: LoggingListener? = LoggingListener("second", log)
    weak let secondListener = second
    let third = LoggingListener("third", log)
    for listener in [first, second!, third] { broadcaster.subscribe(listener) }
    broadcaster.notifyAll("start")
    second = nil
    broadcaster.notifyAll("stop")
    #expect(secondListener == nil)
    #expect(
      log.lines == ["first: start", "second: start", "third: start", "first: stop", "third: stop"])
  }

  @Test func `0.5 an atomic weak array of a protocol by its bare name`() throws {
    struct Stop: Error {}
    let delegates = AtomicWeakArray<MyDelegate>()
    let kept = (1...3).map(NumberedDelegate.init)
    for delegate in kept { delegates.append(delegate) }
    delegates.append(NumberedDelegate(4))
    var numbers: [Int] = []
    delegates.forEach { numbers.append($0.number) }
    #expect(numbers == [1, 2, 3])
    #expect(delegates.count == 3)
    #expect(delegates.all.map(\.number) == [1, 2, 3])
    #expect(throws: Stop.self) { try delegates.forEach { _ in throw Stop() } }
    delegates.removeAll()
    #expect(delegates.count == 0)
    withExtendedLifetime(kept) {}
  }

  @Test func `0.6 an atomic dictionary by subscripts`() {
    let counts = AtomicDictionary<String, Int>()
    counts["one"] = 1
    #expect(counts["one"] == 1)
    #expect(counts["two", default: 2] == 2)
    #expect(counts["two"] == 2)
    counts["one"] = nil
    #expect(counts["one"] == nil)
    #expect(counts.snapshot == ["two": 2])
  }

  @Test func `0.6 an atomic dictionary of weak arrays`() {
    let groups = AtomicDictionary<String, AtomicWeakArray<MyDelegate>>()
    let delegate = NumberedDelegate(1)
    groups["a", default: AtomicWeakArray()].append(delegate)
    groups["a", default: AtomicWeakArray()].append(NumberedDelegate(2))
    #expect(groups["a"]?.count == 1)
    withExtendedLifetime(delegate) {}
  }
}
