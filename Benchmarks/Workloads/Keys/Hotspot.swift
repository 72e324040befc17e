import SeededRandom

/// A few keys that get most of the draws.
struct Hotspot {
  private let operations: Int
  private let hot: Int
  private let range: Int

  init(keys: Int, operations: Int, range: Int) {
    precondition((1...99).contains(keys), "the hot share of keys is from 1 to 99 per cent")
    precondition((0...100).contains(operations), "a share of draws is from 0 to 100 per cent")
    self.operations = operations
    self.range = range
    // At least one key is hot, however few there are.
    hot = max(1, Int((Double(range) * Double(keys) / 100).rounded()))
  }

  func draw(using generator: inout SplitMix64) -> Int {
    // Of one key nothing can be cold.
    if generator.number(below: 100) < operations || hot == range {
      return generator.number(below: hot)
    }
    return hot + generator.number(below: range - hot)
  }
}
