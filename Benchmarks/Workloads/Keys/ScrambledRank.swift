/// Where a popular rank's key lies: anywhere, by YCSB's hash.
enum ScrambledRank {
  /// As many ranks as YCSB scrambles.
  static let count = 10_000_000_000

  static func key(of rank: Int, range: Int) -> Int {
    Int(hash(UInt64(rank - 1)) % UInt64(range))
  }

  /// Fowler, Noll and Vo's FNV-1a of the eight bytes, the lowest first, and its magnitude.
  private static func hash(_ value: UInt64) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in 0..<8 {
      hash = (hash ^ (value >> (8 * byte) & 0xFF)) &* 0x100_0000_01B3
    }
    return Int64(bitPattern: hash).magnitude
  }
}
