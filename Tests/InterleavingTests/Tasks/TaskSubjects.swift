import Synchronization

// Asynchronous code with a seeded fault, each beside its correct twin.

/// An error that a test throws in an execution.
struct Wrong: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

/// A value that tasks share without suspending.
final class Shared<Value: Sendable>: Sendable {
  private let value: Synchronization.Mutex<Value>

  init(_ value: Value) { self.value = Synchronization.Mutex(value) }

  var current: Value { value.withLock { $0 } }

  func change(_ body: (inout Value) -> Void) { value.withLock { body(&$0) } }
}

/// An account that is re-entered between its check and its withdrawal.
actor ReentrantAccount {
  private(set) var balance: Int
  private let audits = Shared(0)

  init(balance: Int) { self.balance = balance }

  func withdraw(_ amount: Int) async -> Bool {
    guard balance >= amount else { return false }
    await audit()
    balance -= amount
    return true
  }

  private nonisolated func audit() async { audits.change { $0 += 1 } }
}

/// An account that withdraws before it suspends.
actor Account {
  private(set) var balance: Int
  private let audits = Shared(0)

  init(balance: Int) { self.balance = balance }

  func withdraw(_ amount: Int) async -> Bool {
    guard balance >= amount else { return false }
    balance -= amount
    await audit()
    return true
  }

  private nonisolated func audit() async { audits.change { $0 += 1 } }
}

/// A mailbox with one reader.
actor Mailbox {
  private(set) var hasMail = false
  private var reader: CheckedContinuation<Void, Never>?

  func deliver() {
    hasMail = true
    reader?.resume()
    reader = nil
  }

  func register(_ reader: CheckedContinuation<Void, Never>) { self.reader = reader }

  /// Checks and registers in two steps: a letter that comes between them wakes nobody.
  @inline(never)
  nonisolated func waitForMailInTwoSteps() async {
    if await hasMail { return }
    await withCheckedContinuation { reader in
      Task { await register(reader) }
    }
  }

  /// Checks and registers in one step.
  func waitForMail() async {
    if hasMail { return }
    await withCheckedContinuation { reader = $0 }
  }
}

/// A counter whose callers read and write it.
actor Number {
  private(set) var value = 0

  func set(_ value: Int) { self.value = value }

  func increment() { value += 1 }

  nonisolated func incrementInTwoSteps() async {
    let old = await value
    await set(old + 1)
  }
}

/// A semaphore whose waiters can be cancelled.
actor Permits {
  private struct Waiter {
    var number: Int
    var continuation: CheckedContinuation<Bool, Never>?
  }

  private var count: Int
  private var waiters: [Waiter] = []
  private var nextNumber = 0
  /// Whether a cancelled waiter stays in the queue, so that a permit for it is lost.
  private let keepsCancelledWaiters: Bool

  init(_ count: Int, keepsCancelledWaiters: Bool) {
    self.count = count
    self.keepsCancelledWaiters = keepsCancelledWaiters
  }

  /// Waits for a permit; returns false if the task was cancelled.
  func acquire() async -> Bool {
    if count > 0 {
      count -= 1
      return true
    }
    nextNumber += 1
    let number = nextNumber
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        if Task.isCancelled {
          continuation.resume(returning: false)
        } else {
          waiters.append(Waiter(number: number, continuation: continuation))
        }
      }
    } onCancel: {
      Task { await self.cancel(number) }
    }
  }

  func release() {
    guard !waiters.isEmpty else {
      count += 1
      return
    }
    waiters.removeFirst().continuation?.resume(returning: true)
  }

  private func cancel(_ number: Int) {
    guard let index = waiters.firstIndex(where: { $0.number == number }) else { return }
    waiters[index].continuation?.resume(returning: false)
    waiters[index].continuation = nil
    if !keepsCancelledWaiters { waiters.remove(at: index) }
  }
}

/// A cache on the main actor, which fills an entry twice if it is re-entered.
@MainActor final class MainCache {
  private var entries: [String: Int] = [:]
  private(set) var loads = 0

  func value(for key: String) async -> Int {
    if let value = entries[key] { return value }
    loads += 1
    let value = await Self.load(key)
    entries[key] = value
    return value
  }

  private nonisolated static func load(_ key: String) async -> Int { key.count }
}
