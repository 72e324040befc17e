/// Unused bytes between two fields, so that threads which write the one do not disturb those which read
/// the other.
public struct CacheLinePadding: Sendable {
  // Two lines of 64 bytes: they are fetched in pairs.
  private let words:
    (
      UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64,
      UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64
    ) = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)

  public init() {}
}
