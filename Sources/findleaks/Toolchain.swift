import Foundation

/// Swift's driver, and what lies beside it.
struct Toolchain {
  let swift: URL

  /// - Parameter swift: the path of the driver; by default the first in `PATH`.
  init(swift: String?) throws(LeakRunError) {
    if let swift {
      self.swift = URL(filePath: swift)
      return
    }
    let folders = ProcessInfo.processInfo.environment["PATH"] ?? ""
    let candidates = folders.split(separator: ":").map { "\($0)/swift" }
    guard let path = candidates.first(where: FileManager.default.isExecutableFile(atPath:)) else {
      throw LeakRunError("there is no 'swift' in PATH")
    }
    self.swift = URL(filePath: path)
  }

  /// What gives the sanitizers names and lines, if the toolchain has it.
  var symbolizer: String? { tool("llvm-symbolizer")?.path }

  /// Another of its programs. It lies beside the driver, or beside a link to that.
  func tool(_ name: String) -> URL? {
    [swift.resolvingSymlinksInPath(), swift]
      .map { $0.deletingLastPathComponent().appending(path: name) }
      .first { FileManager.default.isExecutableFile(atPath: $0.path) }
  }

  /// Names for those that are mangled; none if the toolchain cannot tell.
  func demangled(_ functions: Set<String>, in folder: URL) throws -> [String: String] {
    let mangled = functions.filter { $0.hasPrefix("$s") || $0.hasPrefix("$S") }.sorted()
    guard !mangled.isEmpty else { return [:] }
    let file = folder.appending(path: "functions.txt")
    try Data(mangled.joined(separator: "\n").utf8).write(to: file)
    let command = Command(program: swift, arguments: ["demangle", "--simplified"])
    let lines = try command.output(input: file).text.split(separator: "\n").map(String.init)
    guard lines.count == mangled.count else { return [:] }
    return Dictionary(uniqueKeysWithValues: zip(mangled, lines))
  }
}
