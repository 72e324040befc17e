import CRuntimeInspection

#if canImport(ObjectiveC)
  import ObjectiveC
#endif

/// How many strong references to `object` there are, the argument's own left out; nil of an object of Objective-C,
/// which counts in its own way.
///
/// A figure for people: it may have changed already, and what the optimizer keeps for a moment counts.
public func strongCount(of object: AnyObject) -> Int? {
  #if canImport(ObjectiveC)
    if object is any NSObjectProtocol { return nil }
  #endif
  let address = UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque())
  return withExtendedLifetime(object) { Int(cri_strong_count(address)) }
}
