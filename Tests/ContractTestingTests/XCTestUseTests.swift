import ContractTesting
import WeakCollections
import XCTest

/// The product works in XCTest, too.
final class XCTestUseTests: XCTestCase {
  func test_a_breach_is_thrown_as_an_error_with_its_text() async throws {
    try await checkContract(of: MutexWeakArray<any AnyObject & Sendable>.self)
    do {
      try await checkContract(
        of: KeepingArray.self, options: ContractOptions(operations: 50, timeLimit: .seconds(60)))
      XCTFail("nothing was thrown")
    } catch {
      XCTAssertTrue("\(error)".hasPrefix("KeepingArray breaks "), "\(error)")
    }
  }
}
