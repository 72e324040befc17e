import LeakMonitoring
import Testing
import Threading
import WeakCollections

/// A source of calls like a display link or a timer: it retains its closure and calls it until it
/// is invalidated. Foundation's timer would not do, because on Linux it leaks itself.
private final class Ticker: Invalidatable {
  private var body: ((Ticker) -> Void)?
  private(set) var invalidations = 0

  init(_ body: @escaping (Ticker) -> Void) { self.body = body }

  func tick() { body?(self) }

  func invalidate() {
    invalidations += 1
    body = nil
  }
}

private class Screen {
  var ticks: [ObjectIdentifier] = []
  var ticker: Ticker?

  func tick(_ ticker: Ticker) { ticks.append(ObjectIdentifier(ticker)) }
}

private protocol Ticking: AnyObject, Sendable {
  func tick(_ number: Int) -> Bool
}

private final class Counter: Ticking {
  func tick(_ number: Int) -> Bool { number == 7 }
}

@MainActor
private final class MainScreen {
  private(set) var positions: [Int] = []

  func move(to position: Int) { positions.append(position) }
}

struct WeakProxyTests {
  @Test func `2.1 the target is called with the sender`() {
    let screen = Screen()
    let ticker = ticker(of: screen)
    ticker.tick()
    ticker.tick()
    #expect(screen.ticks == [ObjectIdentifier(ticker), ObjectIdentifier(ticker)])
    #expect(ticker.invalidations == 0)
  }

  @Test func `2.1, 2.12 a proxy does not retain its target, whose end invalidates the source`() {
    var screen: Screen? = Screen()
    let reference = WeakReference(screen!)
    let ticker = ticker(of: screen!)
    screen!.ticker = ticker
    screen = nil
    #expect(reference.promote() == nil)
    #expect(ticker.invalidations == 0)
    ticker.tick()
    #expect(ticker.invalidations == 1)
    ticker.tick()
    #expect(ticker.invalidations == 1)
  }

  @Test func `2.1, 2.12 a source that calls its target directly retains it`() {
    let reference: WeakReference<Screen>
    do {
      let screen = Screen()
      screen.ticker = Ticker { screen.tick($0) }
      reference = WeakReference(screen)
    }
    #expect(reference.promote() != nil)
    reference.promote()?.ticker?.invalidate()
    #expect(reference.promote() == nil)
  }

  @Test func `2.1 a bag of the target invalidates the source with it, before another call`() {
    var screen: Screen? = Screen()
    let ticker = ticker(of: screen!)
    var bag: CancelBag? = CancelBag()
    // Unchecked, as if sent to this thread, on which the bag is released.
    nonisolated(unsafe) let source = ticker
    bag!.insert { source.invalidate() }
    (screen, bag) = (nil, nil)
    #expect(ticker.invalidations == 1)
    ticker.tick()
    #expect(ticker.invalidations == 1)
  }

  @Test func `2.2 a call is typed, and returns whether the target was alive`() {
    var counter: Counter? = Counter()
    let ended = MutexLock<[Int]>([])
    let proxy = WeakProxy<any Ticking, Int>(
      counter!, whenGone: { number in ended.write { $0.append(number) } }
    ) { target, number in
      #expect(target.tick(number))
    }
    #expect(proxy(7))
    counter = nil
    #expect(!proxy(8))
    #expect(ended.read { copy $0 } == [8])
  }

  @Test func `2.2 a proxy of a source that passes no sender needs no argument`() {
    let calls = MutexLock(0)
    var counter: Counter? = Counter()
    let proxy = WeakProxy<Counter, Void>(counter!, whenGone: {}) { _, _ in calls.write { $0 += 1 } }
    proxy()
    counter = nil
    proxy()
    #expect(calls.read { $0 } == 1)
  }

  @Test @MainActor func `2.1 a target of the main actor is called in its isolation`() {
    let screen = MainScreen()
    let proxy = WeakProxy<MainScreen, Int>(screen, whenGone: { _ in }) { screen, position in
      MainActor.assumeIsolated { screen.move(to: position) }
    }
    #expect(proxy(7))
    #expect(screen.positions == [7])
  }

  @Test func `2.1 a call outside the isolation of the target's action traps`() async {
    await #expect(processExitsWith: .failure) {
      let screen = MainScreen()
      let proxy = WeakProxy<MainScreen, Int>(screen, whenGone: { _ in }) { screen, position in
        MainActor.assumeIsolated { screen.move(to: position) }
      }
      _ = await onOwnThread { proxy(7) }
    }
  }

  @Test func `threads may call a proxy while its target is deallocated`() async {
    let alive = MutexLock(0)
    let gone = MutexLock(0)
    for _ in 0..<20 {
      let holder = MutexLock<Counter?>(Counter())
      let proxy = WeakProxy<Counter, Int>(
        holder.read { $0! }, whenGone: { _ in gone.write { $0 += 1 } }
      ) { target, number in
        #expect(target.tick(number))
        alive.write { $0 += 1 }
      }
      _ = await onOwnThreads(3) { index in
        if index == 0 {
          _ = holder.write { $0.take() }
        } else {
          for _ in 0..<50 { proxy(7) }
        }
      }
    }
    #expect(alive.read { $0 } + gone.read { $0 } == 2000)
  }

  private func ticker(of screen: Screen) -> Ticker {
    let proxy = WeakProxy(screen) { (screen: Screen, ticker: Ticker) in screen.tick(ticker) }
    return Ticker { proxy($0) }
  }
}
