import SeededTesting
import Testing

@testable import LeakMonitoring

private final class Session {}

struct EventBufferTests {
  @Test func `a ring is a queue`() {
    var (ring, queue) = (Ring<Int>(), [Int]())
    var random = SeededGenerator(seed: 3)
    for number in 0..<5_000 {
      // More come than go in the first half, and the other way in the second.
      if Int.random(in: 0..<10, using: &random) < (number < 2_500 ? 6 : 4) {
        ring.append(number)
        queue.append(number)
      } else {
        #expect(ring.popFirst() == (queue.isEmpty ? nil : queue.removeFirst()))
      }
      #expect(ring.count == queue.count)
    }
    while !queue.isEmpty { #expect(ring.popFirst() == queue.removeFirst()) }
    #expect(ring.popFirst() == nil)
  }

  /// As many steps as events; if each that goes moved all others, hours.
  @Test(.timeLimit(.minutes(10)))
  func `an event costs the same however many there is room for`() async {
    let room = 200_000
    let buffer = EventBuffer(room)
    for second in 0..<(3 * room) { buffer.append(.born(Session.self, at: .seconds(second))) }
    guard case .dropped(2 * room) = await buffer.next() else {
      Issue.record("expected that the others were dropped")
      return
    }
    for second in (2 * room)..<(3 * room) {
      guard case .born(_, at: .seconds(second)) = await buffer.next() else {
        Issue.record("expected the event of second \(second)")
        return
      }
    }
  }
}
