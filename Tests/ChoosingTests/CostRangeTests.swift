import Foundation
import SeededTesting
import Testing

@testable import Choosing

struct CostRangeTests {
  @Test func `of a few trials the range has all, of more the inner ones`() {
    #expect((1...13).map(CostRange.trialsOutside) == [0, 0, 0, 0, 0, 1, 1, 1, 2, 2, 3, 3, 3])
  }

  @Test func `of very many it is narrow, and never empty`() {
    for count in [1000, 2000, 100_000] {
      let outside = CostRange.trialsOutside(of: count)
      // 1.15 standard deviations of a fair coin hold three of four.
      let width = 1.15 * 0.5 * Double(count).squareRoot()
      #expect(abs(Double(count) / 2 - Double(outside) - width) < 3, "\(count): \(outside)")
    }
  }

  @Test func `the middle is the median, outliers are outside`() throws {
    let range = try #require(CostRange(of: [5, 3, 100, 4, 1, 6]))
    #expect(range == CostRange(median: 4.5, low: 3, high: 6))
    #expect(CostRange(of: [7]) == CostRange(7))
    #expect(CostRange(of: [0, -.infinity, .nan]) == nil)
  }

  @Test func `it holds the true median in three of four cases`() {
    var generator = SeededGenerator(seed: TestOptions.seed)
    for count in [3, 6, 9] {
      let held = (0..<2000).count { _ in
        // Skewed, as times are; the median of the square is that of the root, squared.
        let trials = (0..<count).map { _ in pow(Double.random(in: 0.01..<1, using: &generator), 2) }
        let range = CostRange(of: trials)!
        return range.low <= 0.505 * 0.505 && 0.505 * 0.505 <= range.high
      }
      // Eight standard deviations below 1,500.
      #expect(held > 1345, "\(held) of 2000 with \(count) trials")
    }
  }
}
