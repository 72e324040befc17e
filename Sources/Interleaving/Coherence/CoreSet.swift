/// Some of the cores 0 to 255.
public struct CoreSet: Sendable, Hashable {
  public static let capacity = 256
  private var words = SIMD4<UInt64>()

  public init() {}

  public init(_ core: Int) {
    insert(core)
  }

  public var isEmpty: Bool { words == SIMD4() }

  public var count: Int {
    words.x.nonzeroBitCount + words.y.nonzeroBitCount + words.z.nonzeroBitCount
      + words.w.nonzeroBitCount
  }

  public func contains(_ core: Int) -> Bool {
    words[core / 64] >> UInt64(core % 64) & 1 != 0
  }

  public mutating func insert(_ core: Int) {
    words[core / 64] |= 1 << UInt64(core % 64)
  }
}
