/// The folder of the package that is looked at: frames of its own sources are shown first.
package struct SourceRoot: Sendable {
  private let folder: String

  /// - Parameter folder: its absolute path.
  package init(_ folder: String) {
    self.folder = folder.hasSuffix("/") ? folder : folder + "/"
  }

  /// Whether the frame is of a source of the package. What is built there is not, such as a dependency's
  /// checkout and generated code: it is in a hidden folder.
  func isOwn(_ frame: StackFrame) -> Bool {
    guard let path = relativePath(of: frame) else { return false }
    return !path.split(separator: "/").contains { $0.hasPrefix(".") }
  }

  /// The first frame of the package's own sources whose line is known.
  func firstPlace(in frames: [StackFrame]) -> StackFrame? {
    frames.first { isOwn($0) && $0.line != nil }
  }

  /// From the folder of the package, or `nil` outside.
  func relativePath(of frame: StackFrame) -> String? {
    guard let file = frame.file, file.hasPrefix(folder) else { return nil }
    return String(file.dropFirst(folder.count))
  }

  /// `Sources/App/Screen.swift:13:19`.
  func place(of frame: StackFrame) -> String? {
    guard let file = relativePath(of: frame) ?? frame.file ?? frame.image else { return nil }
    let numbers = [frame.line, frame.column].compactMap { $0.map { ":\($0)" } }
    return file + numbers.joined()
  }
}
