import Testing
import Workloads

struct SlidingWindowTests {
  @Test func `it moves by a key for as many draws as inserts have a share`() {
    let window = SlidingWindow(size: 8, insertShare: 5)
    #expect(window.oldest(afterDraws: 0) == 0)
    #expect(window.next(afterDraws: 0) == 8)
    #expect(window.oldest(afterDraws: 19) == 0)
    #expect(window.oldest(afterDraws: 20) == 1)
    #expect(window.next(afterDraws: 20) == 9)
  }

  @Test func `it begins again at the range's end`() {
    let window = SlidingWindow(size: 4, insertShare: 50)
    #expect(window.range == 8)
    #expect(window.next(afterDraws: 8) == 0)
    #expect(window.oldest(afterDraws: 16) == 0)
    #expect((0..<4).map { window.key($0, afterDraws: 12) } == [6, 7, 0, 1])
  }

  @Test func `a drawn place is a key of the window at that time`() {
    let window = SlidingWindow(size: 4, insertShare: 50)
    #expect(window.keys(atPlaces: [3, 3, 3, 3, 0]) == [3, 3, 4, 4, 2])
  }
}
