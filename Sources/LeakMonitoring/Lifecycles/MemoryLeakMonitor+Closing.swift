extension MemoryLeakMonitor {
  /// Expects `object` to die, but only if it is closing: reports it if it still lives `delay` later.
  ///
  /// For what disappears for several reasons, such as a screen that is covered or popped, and is to die after
  /// some of them alone. `isClosing` is asked at once, and once.
  ///
  /// - Returns: the expectation; nil if it is not closing.
  /// - SeeAlso: `expectDeallocation`.
  @discardableResult
  public func checkDeallocation<Object: AnyObject>(
    of object: Object, after delay: Duration = .seconds(2), fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column,
    ifClosing isClosing: (Object) throws -> Bool
  ) rethrows -> DeallocationExpectation? {
    guard try isClosing(object) else { return nil }
    return expectDeallocation(
      of: object, within: delay, fileID: fileID, filePath: filePath, line: line, column: column)
  }

  /// `checkDeallocation` by the current monitor.
  @discardableResult
  public static func checkDeallocation<Object: AnyObject>(
    of object: Object, after delay: Duration = .seconds(2), fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column,
    ifClosing isClosing: (Object) throws -> Bool
  ) rethrows -> DeallocationExpectation? {
    try current.checkDeallocation(
      of: object, after: delay, fileID: fileID, filePath: filePath, line: line, column: column,
      ifClosing: isClosing)
  }
}
