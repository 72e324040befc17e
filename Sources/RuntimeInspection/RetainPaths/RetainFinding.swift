// A search returns one of these; the module that reads report files declares it.
@_exported public import struct LeakReports.RetainPath

/// What a search for what holds an object found.
public enum RetainFinding: Sendable, Hashable {
  /// One of the ways in which it is held; `strongCount` references hold it altogether, the caller's
  /// included.
  case path(RetainPath, strongCount: Int)
  /// Nothing that a search can see holds it: neither the object itself, nor a root, nor a running
  /// task.
  case none(strongCount: Int)
  /// Nothing is known, for the reason given: searching does not work here, or the search came to
  /// grief.
  case unavailable(String)

  public var path: RetainPath? {
    if case .path(let path, strongCount: _) = self { path } else { nil }
  }
}
