import LeakMonitoring
import Testing
import Threading
import WeakCollections

@Suite(.timeLimit(.minutes(10)))
struct CancelBagTests {
  private final class Log: Sendable {
    private let lines = MutexLock<[Int]>([])
    func add(_ line: Int) { lines.write { $0.append(line) } }
    var all: [Int] { lines.read { copy $0 } }
  }

  private let log = Log()

  @Test func `2.22 a bag that is released cancels each entry once, in order`() {
    do {
      let bag = CancelBag()
      for number in 0..<5 { bag.insert { [log] in log.add(number) } }
      #expect(bag.count == 5 && log.all.isEmpty)
    }
    #expect(log.all == Array(0..<5))
  }

  @Test func `2.22 a bag that was cancelled is empty, and can be filled again`() {
    let bag = CancelBag()
    bag.insert { [log] in log.add(1) }
    bag.cancel()
    bag.cancel()
    #expect(log.all == [1] && bag.count == 0)
    bag.insert { [log] in log.add(2) }
    #expect(log.all == [1])
    bag.cancel()
    #expect(log.all == [1, 2])
  }

  @Test func `2.22 an entry that was removed is not cancelled`() {
    let bag = CancelBag()
    let entry = bag.insert { [log] in log.add(1) }
    bag.insert { [log] in log.add(2) }
    bag.remove(entry)
    bag.remove(entry)
    bag.cancel()
    #expect(log.all == [2])
  }

  @Test func `2.22 removing an entry of a released bag from a bag at its address traps`() async {
    await #expect(processExitsWith: .failure) {
      var entries: [CancelBag.Entry] = []
      for _ in 0..<100 {
        let bag = CancelBag()
        entries.forEach(bag.remove)
        entries = [bag.insert {}]
      }
    }
  }

  @Test func `2.22 an object that is not Sendable is sent to the bag, and cancelled with it`() {
    let bag = CancelBag()
    bag.insert(Observation(1, log)) { $0.end() }
    let entry = bag.insert(Observation(2, log))
    bag.insert(Observation(3, log))
    bag.remove(entry)
    #expect(log.all.isEmpty && bag.count == 2)
    bag.cancel()
    #expect(log.all == [1, 3])
  }

  /// An observation that only the thread that holds it may end.
  private final class Observation: Invalidatable {
    private let number: Int
    private let log: Log

    init(_ number: Int, _ log: Log) { (self.number, self.log) = (number, log) }

    func end() { log.add(number) }
    func invalidate() { end() }
  }

  @Test func `a cancellation may insert into its bag and cancel it`() {
    let bag = CancelBag()
    bag.insert { [weak bag, log] in
      bag?.insert { log.add(2) }
      bag?.cancel()
      log.add(1)
    }
    bag.cancel()
    #expect(log.all == [2, 1])
  }

  @Test func `2.22 a task is cancelled with its bag`() async {
    var bag: CancelBag? = CancelBag()
    let task = Task { try await forever() }
    task.store(in: bag!)
    let other = Task { try await forever() }
    bag!.insert(other)
    bag = nil
    #expect(await task.result.isCancelled)
    #expect(await other.result.isCancelled)
  }

  @Test func `a task of the bag is removed when it ends`() async {
    let bag = CancelBag()
    await withCheckedContinuation { continuation in
      bag.addTask { continuation.resume() }
    }
    // The task is removed shortly after it ends.
    while bag.count > 0 { await Task.yield() }
    #expect(bag.count == 0)
  }

  @Test func `a task of the bag is cancelled when the bag is released`() async {
    var bag: CancelBag? = CancelBag()
    let (ends, end) = AsyncStream.makeStream(of: Bool.self)
    bag!.addTask {
      try? await forever()
      end.yield(Task.isCancelled)
      end.finish()
    }
    bag = nil
    #expect(await ends.first { _ in true } == true)
  }

  @Test func `concurrent insertions and cancellations lose no cancellation`() async {
    let count = MutexLock(0)
    let bag = CancelBag()
    _ = await onOwnThreads(4) { index in
      for _ in 0..<500 {
        bag.insert { count.write { $0 += 1 } }
        if index == 0 { bag.cancel() }
      }
    }
    bag.cancel()
    #expect(count.read { $0 } == 2000)
  }
}

@Suite(.timeLimit(.minutes(10)))
struct TaskStoreTests {
  @Test func `3.5 a task that replaces another cancels it`() async {
    let store = TaskStore<String>()
    let first = store.replace("load", with: Task { try await forever() })
    let second = store.replace("load", with: Task { try await forever() })
    #expect(first.isCancelled && !second.isCancelled)
    #expect(await first.result.isCancelled)
    #expect(store.count == 1)
    store.cancelAll()
    #expect(await second.result.isCancelled)
  }

  @Test func `3.5 tasks of other keys continue`() async {
    let store = TaskStore<Int>()
    let tasks = (0..<3).map { key in store.replace(key, with: Task { try await forever() }) }
    store.cancel(1)
    store.cancel(7)
    #expect(tasks.map(\.isCancelled) == [false, true, false])
    store.cancelAll()
    #expect(tasks.allSatisfy(\.isCancelled) && store.count == 0)
    for task in tasks { _ = await task.result }
  }

  @Test func `3.4 a store that is released cancels its tasks`() async {
    var store: TaskStore<String>? = TaskStore()
    let task = store!.replace("load", with: Task { try await forever() })
    store = nil
    #expect(await task.result.isCancelled)
  }

  @Test func `a task may replace itself`() async {
    let store = TaskStore<String>()
    let next = Task { try await forever() }
    let task = Task { _ = store.replace("load", with: next) }
    store.replace("load", with: task)
    await task.value
    store.replace("load", with: Task {})
    next.cancel()
    _ = await next.result
  }
}
