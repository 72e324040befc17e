import CRuntimeInspection

#if canImport(ObjectiveC)
  import ObjectiveC
#endif

/// Whether something that reads what the runtime keeps to itself can be had here; a probe says.
public enum RuntimeCapability: Sendable, Equatable {
  case available
  /// Not here, with a reason for people.
  case unavailable(String)
}

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

/// `name` without the parts such as "(unknown context at $7f12ab).", which differ in every run.
package func nameWithoutAddresses(_ name: String) -> String {
  var parts = name.split(separator: "(unknown context at $", omittingEmptySubsequences: false)
  for index in parts.indices.dropFirst() {
    parts[index] = parts[index].drop { $0 != "." }.dropFirst()
  }
  return parts.joined()
}
