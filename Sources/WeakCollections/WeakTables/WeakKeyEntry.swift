/// A weakly held key, and a value.
struct WeakKeyEntry<Keying: WeakKeying, Value>: SweptEntry {
  typealias Object = Keying.Object

  private let key: WeakReference<Object>  // First, for `reference(at:)`.
  let hash: UInt32
  var value: Value

  init(_ key: Object, hash: UInt32, value: Value) {
    self.key = WeakReference(key)
    self.hash = hash
    self.value = value
  }

  static func hash(of key: Object) -> UInt32 {
    UInt32(truncatingIfNeeded: Keying.hash(of: key))
  }

  static func reference(at entry: UnsafePointer<Self>) -> UnsafePointer<WeakReference<Object>> {
    UnsafeRawPointer(entry).assumingMemoryBound(to: WeakReference<Object>.self)
  }
}

extension WeakKeyEntry: Sendable where Keying.Object: Sendable, Value: Sendable {}
