import CRuntimeInspection

#if canImport(ObjectiveC)
  import ObjectiveC
#endif

/// Whether something that relies on private parts of the runtime works here, as a probe found.
public enum RuntimeCapability: Sendable, Equatable {
  case available
  /// It does not work here, with a reason for people.
  case unavailable(String)
}

/// Returns the number of strong references to `object` besides the argument itself; nil for an
/// object of Objective-C, which counts in its own way.
///
/// A figure for people: it may be outdated when it is returned, and includes references that the
/// optimizer keeps for a moment.
public func strongCount(of object: AnyObject) -> Int? {
  #if canImport(ObjectiveC)
    if object is any NSObjectProtocol { return nil }
  #endif
  let address = UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque())
  return withExtendedLifetime(object) { Int(cri_strong_count(address)) }
}

/// Returns a type's name without parts such as "(unknown context at $7f12ab).", which differ in
/// every run.
package func nameWithoutAddresses(_ name: String) -> String {
  var parts = name.split(separator: "(unknown context at $", omittingEmptySubsequences: false)
  for index in parts.indices.dropFirst() {
    parts[index] = parts[index].drop { $0 != "." }.dropFirst()
  }
  return parts.joined()
}
