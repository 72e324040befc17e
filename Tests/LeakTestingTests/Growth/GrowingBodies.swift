import Foundation
import LeakMonitoring
import SeededRandom
import Synchronization

/// An object that the bodies create.
final class Item: @unchecked Sendable {
  let number: Int
  var next: Item?
  var others: [Item] = []
  var action: (() -> Void)?

  init(_ number: Int = 0) { self.number = number }

  func note() {}
}

/// A piece of code that is repeated, with the state that it stores between the repetitions.
struct RepeatedBody: Sendable {
  let name: String
  /// Returns the code, with new state.
  let make: @Sendable () -> () async -> Void

  init(_ name: String, _ make: @escaping @Sendable () -> () async -> Void) {
    self.name = name
    self.make = make
  }
}

/// State of a body, which only one task uses.
private final class State<Value>: @unchecked Sendable {
  var value: Value

  init(_ value: Value) { self.value = value }
}

/// Seeds for the random choices of bodies. They are the same in every process, so that no verdict
/// is left to chance.
private let seeds = Mutex(SplitMix64(seed: 20_261_121))

/// Returns a generator with the next seed, for one body.
private func makeGenerator() -> State<SplitMix64> {
  State(seeds.withLock { SplitMix64(seed: $0.next()) })
}

private struct Refusal: Error {
  let text = String(repeating: "refused", count: 5)
}

private indirect enum Chain {
  case end
  case link(Chain, Int)
}

private actor Mailbox {
  private var items: [Item] = []

  func receive(_ item: Item) { items.append(item) }
}

extension RepeatedBody {
  /// Bodies that leave more objects with each repetition.
  static let leaking: [RepeatedBody] = [
    RepeatedBody("array that is never emptied") {
      let kept = State([Item]())
      return { kept.value.append(Item()) }
    },
    RepeatedBody("dictionary with new keys") {
      let kept = State([UUID: Item]())
      return { kept.value[UUID()] = Item() }
    },
    RepeatedBody("set of new values") {
      let kept = State(Set<ObjectIdentifier>()), items = State([Item]())
      return {
        let item = Item()
        items.value.append(item)
        kept.value.insert(ObjectIdentifier(item))
      }
    },
    RepeatedBody("object that holds itself") {
      {
        let item = Item()
        item.next = item
      }
    },
    RepeatedBody("two objects that hold each other") {
      {
        let (one, other) = (Item(), Item())
        one.next = other
        other.next = one
      }
    },
    RepeatedBody("closure that captures its owner") {
      {
        let item = Item()
        item.action = { item.note() }
      }
    },
    RepeatedBody("method as a closure") {
      {
        let item = Item()
        item.action = item.note
      }
    },
    RepeatedBody("handlers that are never removed") {
      let handlers = State([() -> Void]()), item = Item(), count = State(0)
      return {
        let number = handlers.value.count
        handlers.value.append {
          item.note()
          count.value += number
        }
      }
    },
    RepeatedBody("observers that are never removed") {
      let tokens = State([any NSObjectProtocol]()), center = NotificationCenter()
      return {
        let item = Item()
        tokens.value.append(
          center.addObserver(forName: .init("leak"), object: nil, queue: nil) { _ in item.note() })
      }
    },
    RepeatedBody("tasks that never end") {
      {
        let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
        let item = Item()
        item.action = { continuation.finish() }
        Task {
          for await _ in stream { item.note() }
        }
        await Task.yield()
      }
    },
    RepeatedBody("continuations that are never resumed") {
      {
        Task {
          await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
        }
        await Task.yield()
      }
    },
    RepeatedBody("texts that are kept") {
      let kept = State([String]())
      return { kept.value.append(String(repeating: "text", count: 10 + kept.value.count % 3)) }
    },
    RepeatedBody("list that grows at its end") {
      let last = State(Item()), first = last.value
      return {
        last.value.next = Item()
        last.value = last.value.next!
        first.note()
      }
    },
    RepeatedBody("unbalanced retain") {
      { _ = Unmanaged.passRetained(Item()) }
    },
    RepeatedBody("errors that are kept") {
      let kept = State([any Error]())
      return { kept.value.append(Refusal()) }
    },
    RepeatedBody("enum that grows") {
      let kept = State(Chain.end), count = State(0)
      return {
        count.value += 1
        kept.value = .link(kept.value, count.value)
      }
    },
    RepeatedBody("leak in one of five runs") {
      let kept = State([Item]()), count = State(0)
      return {
        count.value += 1
        let item = Item(count.value)
        if count.value.isMultiple(of: 5) { kept.value.append(item) }
      }
    },
    RepeatedBody("leak in the noise of a queue") {
      let kept = State([Item]()), queue = State([Item]()), generator = makeGenerator()
      return {
        kept.value.append(Item())
        queue.value = (0..<Int.random(in: 0..<40, using: &generator.value)).map { Item($0) }
      }
    },
    RepeatedBody("cache without a limit, besides one with a limit") {
      let small = State([Int: Item]()), large = State([Int: Item]()), count = State(0)
      return {
        count.value += 1
        small.value[count.value % 50] = Item()
        large.value[count.value] = Item()
      }
    },
    RepeatedBody("mailbox that nobody reads") {
      let mailbox = Mailbox()
      return { await mailbox.receive(Item()) }
    },
  ]

  /// Bodies whose number of objects stops growing, however many they store before.
  static let steady: [RepeatedBody] = [
    RepeatedBody("nothing is kept") {
      { Item().note() }
    },
    RepeatedBody("cache that is filled once") {
      let cache = State([Int: Item]())
      return {
        for number in 0..<100 where cache.value[number] == nil { cache.value[number] = Item() }
      }
    },
    RepeatedBody("cache that is filled slowly") {
      let cache = State([Int: Item]()), generator = makeGenerator()
      return {
        let key = Int.random(in: 0..<300, using: &generator.value)
        cache.value[key] = cache.value[key] ?? Item()
      }
    },
    RepeatedBody("cache that is full at last") {
      let cache = State([Int: Item]()), count = State(0)
      return {
        count.value += 1
        cache.value[count.value % 700] = Item()
      }
    },
    RepeatedBody("least recently used") {
      let order = State([Item]()), count = State(0)
      return {
        count.value += 1
        order.value.append(Item(count.value))
        if order.value.count > 64 { order.value.removeFirst() }
      }
    },
    RepeatedBody("pool") {
      let free = State([Item]()), generator = makeGenerator()
      return {
        let count = Int.random(in: 1...40, using: &generator.value)
        let items = (0..<count).map { _ in free.value.popLast() ?? Item() }
        free.value += items
      }
    },
    RepeatedBody("lazy value") {
      final class Owner: @unchecked Sendable {
        lazy var item = Item()
      }
      let owner = Owner()
      return { owner.item.note() }
    },
    RepeatedBody("lazy value that is needed late") {
      let kept = State([Item]()), count = State(0)
      return {
        count.value += 1
        if count.value == 400 { kept.value = (0..<500).map { Item($0) } }
      }
    },
    RepeatedBody("interned texts") {
      let texts = State(Set<String>()), generator = makeGenerator()
      return {
        let count = Int.random(in: 10..<60, using: &generator.value)
        texts.value.insert(String(repeating: "name", count: count))
      }
    },
    RepeatedBody("ring buffer") {
      let ring = State([Item?](repeating: nil, count: 128)), count = State(0)
      return {
        ring.value[count.value % 128] = Item()
        count.value += 1
      }
    },
    RepeatedBody("queue of changing length") {
      let queue = State([Item]()), generator = makeGenerator()
      return {
        if Bool.random(using: &generator.value), queue.value.count < 100 {
          queue.value.append(Item())
        } else if !queue.value.isEmpty {
          queue.value.removeFirst()
        }
      }
    },
    RepeatedBody("buffer that is flushed at 300") {
      let buffer = State([Item]())
      return {
        buffer.value.append(Item())
        if buffer.value.count == 300 { buffer.value = [] }
      }
    },
    RepeatedBody("value that is replaced") {
      let current = State(Item())
      return {
        current.value = Item(current.value.number + 1)
      }
    },
    RepeatedBody("cycle that is ended") {
      {
        let (one, other) = (Item(), Item())
        one.next = other
        other.next = one
        other.next = nil
      }
    },
    RepeatedBody("observer that is removed") {
      let center = NotificationCenter()
      return {
        let item = Item()
        let token = center.addObserver(forName: .init("leak"), object: nil, queue: nil) { _ in
          item.note()
        }
        center.removeObserver(token)
      }
    },
    RepeatedBody("task that ends") {
      {
        let item = Item()
        await Task { item.note() }.value
      }
    },
    RepeatedBody("tasks that end later") {
      // One at a time: on a busy machine more and more could wait for a thread.
      let last = State(Task<Void, Never> {})
      return {
        await last.value.value
        let item = Item()
        last.value = Task {
          await Task.yield()
          item.note()
        }
      }
    },
    RepeatedBody("stream with a limited buffer") {
      let (stream, continuation) = AsyncStream.makeStream(
        of: Item.self, bufferingPolicy: .bufferingNewest(30))
      return {
        continuation.yield(Item())
        withExtendedLifetime(stream) {}
      }
    },
    RepeatedBody("memory of results") {
      let results = State([Int: String]()), count = State(0)
      return {
        count.value += 1
        let key = count.value % 60
        if results.value[key] == nil {
          results.value[key] = String(repeating: "result", count: 10 + key)
        }
      }
    },
    RepeatedBody("weak references that are removed when their objects are gone") {
      let references = State([WeakItem]())
      return {
        let item = Item()
        references.value.append(WeakItem(item))
        references.value.removeAll { $0.item == nil }
      }
    },
  ]
}

private final class WeakItem {
  weak var item: Item?

  init(_ item: Item) { self.item = item }
}
