/// More instances of a class live than the class allows.
public struct LeakReport: Sendable {
  /// The class with its module, as in "App.Session"; the same in every run.
  public var typeName: String
  /// What the instance that was one too many calls itself.
  public var description: String
  /// How many instances lived, that one included.
  public var liveCount: Int
  /// How many the class allows.
  public var max: Int
  /// Where that instance was validated.
  public var site: CallSite

  public init(typeName: String, description: String, liveCount: Int, max: Int, site: CallSite) {
    self.typeName = typeName
    self.description = description
    self.liveCount = liveCount
    self.max = max
    self.site = site
  }

  /// One line for people.
  public var message: String {
    "\(description): \(liveCount) instances of \(typeName) are alive, expected at most \(max)"
  }
}

/// A place in the source, as the compiler's `#fileID`, `#filePath`, `#line` and `#column` give it.
public struct CallSite: Sendable {
  public var fileID: StaticString
  public var filePath: StaticString
  public var line: UInt
  public var column: UInt

  public init(fileID: StaticString, filePath: StaticString, line: UInt, column: UInt) {
    self.fileID = fileID
    self.filePath = filePath
    self.line = line
    self.column = column
  }
}
