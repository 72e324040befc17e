import StressTesting
import XCTest

/// The declarative test in XCTest, whose Foundation has an `Operation` of its own.
final class StressXCTests: XCTestCase {
  func testBoundedQueueIsLinearizable() async throws {
    try await stress(makeSubject: { BoundedQueue(capacity: 2) }, model: QueueModel(capacity: 2)) {
      StressOperation("enqueue", 1...4) {
        $0.enqueue($1)
      } model: {
        $0.enqueue($1)
      }
      StressOperation("dequeue") {
        $0.dequeue()
      } model: {
        $0.dequeue()
      }
    }
  }

  func testLossyQueueFails() async {
    var options = StressOptions()
    options.duration = StressOptions.hangLimit
    options.minimizing = .zero
    do {
      try await stress(makeSubject: { LossyQueue() }, model: [Int](), options: options) {
        StressOperation("enqueue", 1...3) {
          $0.enqueue($1)
        } model: {
          $0.append($1)
        }
        StressOperation("dequeue") {
          $0.dequeue()
        } model: {
          $0.isEmpty ? nil : $0.removeFirst()
        }
      }
      XCTFail("the queue loses elements, but the test passed")
    } catch {
      XCTAssertEqual(error.kind, .notLinearizable)
      XCTAssert("\(error)".contains("dequeue()"))
    }
  }
}
