/// A key and its weakly held value.
struct WeakValueEntry<Key: Hashable, Value>: SweptEntry {
  var value: WeakReference<Value>  // First, for `reference(at:)`.
  let hash: UInt32
  let key: Key

  init(_ key: Key, value: Value) {
    self.value = WeakReference(value)
    hash = Self.hash(of: key)
    self.key = key
  }

  static func hash(of key: Key) -> UInt32 { UInt32(truncatingIfNeeded: key.hashValue) }

  static func reference(at entry: UnsafePointer<Self>) -> UnsafePointer<WeakReference<Value>> {
    UnsafeRawPointer(entry).assumingMemoryBound(to: WeakReference<Value>.self)
  }
}

extension WeakValueEntry: Sendable where Key: Sendable, Value: Sendable {}
