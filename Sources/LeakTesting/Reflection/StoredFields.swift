import CLeakTesting

/// The stored fields of one type, without those of its superclasses.
struct StoredFields {
  private let type: UnsafeRawPointer
  private let first: Int

  /// Nil if the runtime does not tell, or tells of fewer fields than `count`.
  init?(of type: Any.Type, count: Int) {
    self.type = unsafeBitCast(type, to: UnsafeRawPointer.self)
    first = clt_field_count(self.type) - count
    if first < 0 { return nil }
  }

  /// Whether a field holds what it refers to: not if it is weak or unowned.
  func isStrong(_ index: Int) -> Bool { clt_field_is_strong(type, first + index) }
}

extension Mirror {
  /// The children that hold what they refer to. The others are not read: an unowned one may be gone.
  func strongChildren(isCustom: Bool) -> [Child] {
    let fields = isCustom ? nil : StoredFields(of: subjectType, count: children.count)
    return children.indices.enumerated().compactMap { number, index in
      fields?.isStrong(number) == false ? nil : children[index]
    }
  }
}
