// swift-format-ignore-file
// What this package uses of XCTest. On Apple platforms too, its classes are isolated to no actor:
// an override of `setUp()` for the main actor is an error there (swiftlang/swift#75815).
@_exported import Foundation

open class XCTest: NSObject {
  open func setUp() {}
  open func tearDown() {}
  open func setUp() async throws {}
  open func tearDown() async throws {}
  open func setUpWithError() throws {}
  open func tearDownWithError() throws {}
  open var name: String { "" }
}
open class XCTestCase: XCTest {
  open func invokeTest() {}
  open func record(_ issue: XCTIssue) {}
  open func addTeardownBlock(_ block: @escaping () -> Void) {}
  public func addTeardownBlock(_ block: @escaping @Sendable () async throws -> Void) {}
}
public struct XCTIssue {
  public enum IssueType: Int { case assertionFailure = 0 }
  public init(
    type: IssueType, compactDescription: String, detailedDescription: String? = nil,
    associatedError: (any Error)? = nil) {}
}
@objc public protocol XCTestObservation: NSObjectProtocol {
  @objc optional func testCaseWillStart(_ testCase: XCTestCase)
  @objc optional func testCaseDidFinish(_ testCase: XCTestCase)
}
open class XCTestObservationCenter: NSObject {
  open class var shared: XCTestObservationCenter { fatalError() }
  open func addTestObserver(_ observer: any XCTestObservation) {}
}
public func XCTFail(_ message: String = "", file: StaticString = #filePath, line: UInt = #line) {}
public func XCTAssert(
  _ expression: @autoclosure () throws -> Bool, _ message: @autoclosure () -> String = "",
  file: StaticString = #filePath, line: UInt = #line) {}
public func XCTAssertTrue(
  _ expression: @autoclosure () throws -> Bool, _ message: @autoclosure () -> String = "",
  file: StaticString = #filePath, line: UInt = #line) {}
public func XCTAssertEqual<T: Equatable>(
  _ one: @autoclosure () throws -> T, _ other: @autoclosure () throws -> T,
  _ message: @autoclosure () -> String = "", file: StaticString = #filePath, line: UInt = #line) {}
public func XCTAssertNil(
  _ expression: @autoclosure () throws -> Any?, _ message: @autoclosure () -> String = "",
  file: StaticString = #filePath, line: UInt = #line) {}
public func XCTAssertNotNil(
  _ expression: @autoclosure () throws -> Any?, _ message: @autoclosure () -> String = "",
  file: StaticString = #filePath, line: UInt = #line) {}
