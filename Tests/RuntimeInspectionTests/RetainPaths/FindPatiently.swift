import RuntimeInspection

/// What `search` finds, asked again if it came to grief: with many tests at once, or under a
/// sanitizer, its process may have no time, or wait for a lock that was held when it was forked.
func findPatiently(
  _ object: some AnyObject, with search: RetainSearch = RetainSearch(timeout: .seconds(5))
) -> RetainFinding {
  var found = search.find(object)
  for _ in 0..<4 {
    guard case .unavailable = found else { return found }
    found = search.find(object)
  }
  return found
}

extension RetainFinding {
  /// Whether a search came to its end and found nothing; one that came to grief did not.
  var isNone: Bool {
    if case .none = self { true } else { false }
  }
}
