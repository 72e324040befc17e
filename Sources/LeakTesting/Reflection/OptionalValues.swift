/// Whether `value` is anything but a nil.
func isSomeValue(_ value: Any) -> Bool {
  let mirror = Mirror(reflecting: value)
  return mirror.displayStyle != .optional || !mirror.children.isEmpty
}

/// What is in an optional, in an optional of an optional and so on; nil if any of them is.
func unwrapped(_ value: Any) -> Any? {
  let mirror = Mirror(reflecting: value)
  guard mirror.displayStyle == .optional else { return value }
  return mirror.children.first.flatMap { unwrapped($0.value) }
}
