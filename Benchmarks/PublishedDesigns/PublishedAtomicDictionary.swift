import Dispatch

/// The article's dictionary behind a concurrent queue, with its defects: a write is a pending block, so
/// others may read on for a while as if it had not happened, and the default is looked for in one step
/// and set in another, so that two threads may each keep a default of their own.
public final class PublishedAtomicDictionary<Key: Hashable & Sendable, Value: Sendable> {
  private let queue = DispatchQueue(label: "published-dictionary", attributes: .concurrent)
  private var values: [Key: Value] = [:]

  public init() {}

  public subscript(key: Key) -> Value? {
    get { queue.sync { values[key] } }
    set { queue.async(flags: .barrier) { self.values[key] = newValue } }
  }

  public subscript(key: Key, default defaultValue: @autoclosure () -> Value) -> Value {
    get {
      if let value = self[key] { return value }
      let value = defaultValue()
      self[key] = value
      return value
    }
    set { self[key] = newValue }
  }

  public var snapshot: [Key: Value] { queue.sync { values } }
}

// @unchecked: `values` is touched only on `queue`, and written only by barriers.
extension PublishedAtomicDictionary: @unchecked Sendable {}
