/// A place in the source where a step is taken.
public struct Site: Sendable, Hashable, CustomStringConvertible {
  /// As `#fileID` says it: module and file.
  public var file: String
  public var function: String
  public var line: UInt32

  public init(file: String, function: String, line: UInt32) {
    self.file = file
    self.function = function
    self.line = line
  }

  public var description: String { "\(file):\(line) \(function)" }
}
