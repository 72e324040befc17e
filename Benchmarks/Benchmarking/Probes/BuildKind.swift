import Primitives

/// How this process was built, as far as it bears on what it measures.
public enum BuildKind {
  /// `release` or `debug`, with the sanitizer and the traits that cost time.
  public static var name: String {
    ([isDebug ? "debug" : "release"] + burdens).joined(separator: "+")
  }

  /// Whether times taken here mean anything.
  public static var isFitForMeasuring: Bool { !isDebug && burdens.isEmpty }

  private static var isDebug: Bool {
    #if DEBUG
      true
    #else
      false
    #endif
  }

  private static var burdens: [String] {
    var burdens = Sanitizer.names
    #if InternalChecks
      burdens.append("InternalChecks")
    #endif
    #if Interleaving
      burdens.append("Interleaving")
    #endif
    return burdens
  }
}
