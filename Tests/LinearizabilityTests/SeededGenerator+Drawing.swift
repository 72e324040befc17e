import SeededTesting

extension SeededGenerator {
  /// A number from 0 to `bound - 1`.
  mutating func number(below bound: Int) -> Int {
    Int(next().multipliedFullWidth(by: UInt64(bound)).high)
  }

  mutating func chance(_ percent: Int) -> Bool { number(below: 100) < percent }
}
