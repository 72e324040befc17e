/// Why a file of leaks, or of known leaks, cannot be used.
public enum LeakFileError: Error, Hashable, Sendable {
  /// The reason is the system's.
  case unreadable(file: String, reason: String)
  /// The reason is the system's.
  case unwritable(file: String, reason: String)
  /// Not as it should be at that place; lines and columns count from 1, columns in Unicode scalars.
  case malformed(file: String, line: Int, column: Int, expected: String)
}

extension LeakFileError: CustomStringConvertible {
  /// One line, which begins with the file and the place as compilers write it.
  public var description: String {
    switch self {
    case .unreadable(let file, let reason): "\(file): cannot be read: \(reason)"
    case .unwritable(let file, let reason): "\(file): cannot be written: \(reason)"
    case .malformed(let file, let line, let column, let expected):
      "\(file):\(line):\(column): expected \(expected)"
    }
  }
}
