import SeededTesting
import Testing
import WeakCollections

@testable import LeakMonitoring

private final class Session {
  private let lifetime = LifetimeToken(of: Session.self)
}

private final class Cache {
  private let lifetime = LifetimeToken(of: Cache.self)
}

@Suite(.timeLimit(.minutes(10)))
struct LeakEventsTests {
  private var (monitor, leaks, clock) = makeClockedMonitor()

  @Test func `2.4 the events are a log of every deallocation, by type`() async {
    let events = monitor.events
    make {
      var (session, cache): (Session?, Cache?) = (Session(), Cache())
      withExtendedLifetime((session, cache)) {}
      cache = nil
      session = nil
      session = Session()
      withExtendedLifetime(session) {}
    }
    var dead: [String] = []
    for await event in events.prefix(6) {
      if case .died(let type, _) = event { dead.append("\(type)") }
    }
    #expect(dead == ["Cache", "Session", "Session"])
  }

  @Test func `2.5 births, deaths and reports arrive in order`() async {
    let events = monitor.events
    make { withExtendedLifetime([Session(), Session()]) {} }
    var names: [String] = []
    for await event in events.prefix(5) { names.append(name(event)) }
    #expect(names == ["born", "born", "leaked", "died", "died"])
  }

  @Test func `a leak that is deallocated later is followed by a late event`() async {
    monitor.policy = .graced(.zero)
    var sessions: [Session] = make { [Session(), Session()] }
    let events = monitor.events
    await clock.tick(20)
    await monitor.settle()
    sessions = []
    await clock.tick()
    var names: [String] = []
    for await event in events.prefix(4) { names.append(name(event)) }
    #expect(names == ["leaked", "died", "died", "late"])
    withExtendedLifetime(sessions) {}
  }

  @Test func `a full buffer keeps the latest events, and reports the number of dropped ones`() async
  {
    let events = monitor.events(buffering: 3)
    make { for _ in 0..<5 { withExtendedLifetime(Session()) {} } }
    var iterator = events.makeAsyncIterator()
    guard case .dropped(7) = await iterator.next() else {
      Issue.record("expected that 7 of 10 were dropped")
      return
    }
    var names: [String] = []
    for _ in 0..<3 { names.append(await iterator.next().map(name) ?? "end") }
    #expect(names == ["died", "born", "died"])
  }

  @Test func `each sequence receives all events`() async {
    let (one, other) = (monitor.events, monitor.events)
    make { withExtendedLifetime(Session()) {} }
    for events in [one, other] {
      var names: [String] = []
      for await event in events.prefix(2) { names.append(name(event)) }
      #expect(names == ["born", "died"])
    }
  }

  @Test func `2.5 an event resumes a task that waits for it`() async {
    let events = monitor.events
    let first = Task {
      for await event in events { return name(event) }
      return "end"
    }
    await waiter(of: events)
    make { withExtendedLifetime(Session()) {} }
    #expect(await first.value == "born")
  }

  @Test func `the sequence ends when its monitor is released`() async {
    var monitor: MemoryLeakMonitor? = MemoryLeakMonitor(backend: .mutex)
    let events = monitor!.events
    MemoryLeakMonitor.withIsolation(in: monitor) { withExtendedLifetime(Session()) {} }
    monitor = nil
    var names: [String] = []
    for await event in events { names.append(name(event)) }
    #expect(names == ["born", "died"])
  }

  @Test func `a cancelled task stops waiting`() async {
    let events = monitor.events
    let waiting = Task {
      for await _ in events {}
      return true
    }
    await waiter(of: events)
    waiting.cancel()
    #expect(await waiting.value)
  }

  /// Suspends until a task waits for the next event.
  private func waiter(of events: LeakEvents) async {
    while !events.subscription.buffer.isWaiting { await Task.yield() }
  }

  private func make<R>(_ body: () -> R) -> R {
    MemoryLeakMonitor.withIsolation(in: monitor, body)
  }

  private func name(_ event: LeakEvent) -> String {
    switch event {
    case .born: "born"
    case .died: "died"
    case .leaked: "leaked"
    case .retainedByRunningTask: "retained by a running task"
    case .late: "late"
    case .allowed: "allowed"
    case .longLived: "long-lived"
    case .dropped(let count): "dropped \(count)"
    }
  }
}

private final class BufferedSession {}

struct EventBufferTests {
  @Test func `a ring behaves as a queue`() {
    var (ring, queue) = (Ring<Int>(), [Int]())
    var random = SeededGenerator(seed: 3)
    for number in 0..<5_000 {
      // The ring grows in the first half, and shrinks in the second.
      if Int.random(in: 0..<10, using: &random) < (number < 2_500 ? 6 : 4) {
        ring.append(number)
        queue.append(number)
      } else {
        #expect(ring.popFirst() == (queue.isEmpty ? nil : queue.removeFirst()))
      }
      #expect(ring.count == queue.count)
    }
    while !queue.isEmpty { #expect(ring.popFirst() == queue.removeFirst()) }
    #expect(ring.popFirst() == nil)
  }

  /// Takes linear time; if each removal moved the other events, it would take hours.
  @Test(.timeLimit(.minutes(10)))
  func `the cost of an event does not depend on the capacity`() async {
    let room = 200_000
    let buffer = EventBuffer(room)
    for second in 0..<(3 * room) {
      buffer.append(.born(BufferedSession.self, at: .seconds(second)))
    }
    guard case .dropped(2 * room) = await buffer.next() else {
      Issue.record("expected that 400,000 events were dropped")
      return
    }
    for second in (2 * room)..<(3 * room) {
      guard case .born(_, at: .seconds(second)) = await buffer.next() else {
        Issue.record("expected the event of second \(second)")
        return
      }
    }
  }
}
