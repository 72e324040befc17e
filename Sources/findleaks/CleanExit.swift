import Foundation
import SanitizerReports

/// The library that is preloaded into what runs: it clears the stack before the process ends, since the
/// sanitizer takes what a returned function left there for a reference, now and then.
struct CleanExit {
  private let library: URL

  /// Builds it.
  ///
  /// Its path is in every stack of the main thread, where a suppression could match it: it has no
  /// word more than the paths of what is run.
  ///
  /// - Parameter scratch: where that is built.
  init(in scratch: URL, _ toolchain: Toolchain) throws {
    library = scratch.appending(path: "main.so")
    // The loader's list has no way to quote them.
    if library.path.utf8.contains(where: " :$".utf8.contains) {
      throw LeakRunError("a preloaded library's path has a space, ':' or '$': \(library.path)")
    }
    guard let clang = toolchain.tool("clang") else {
      throw LeakRunError("the toolchain has no clang")
    }
    let source = scratch.appending(path: "main.c")
    let unfinished = scratch.appending(path: "main.so.unfinished")
    try Data(PackageResources.main_c).write(to: source)
    let command = Command(
      program: clang,
      arguments: ["-shared", "-fPIC", "-O1", "-w", source.path, "-o", unfinished.path])
    var printed = Data()
    let end = try command.run { printed.append($0) }
    guard end == .exited(0) else {
      let text = String(decoding: printed, as: UTF8.self)
        .trimmingCharacters(in: .whitespacesAndNewlines)
      throw LeakRunError("clang: \(end) \(text)")
    }
    // Not over one that another run has loaded.
    guard rename(unfinished.path, library.path) == 0 else {
      throw LeakRunError("'\(library.path)' cannot be written")
    }
  }

  /// The value of `LD_PRELOAD`: after what it already has, since a sanitizer's runtime has to be first.
  func preloaded(after others: String?) -> String {
    ([others].compactMap { $0 } + [library.path]).joined(separator: ":")
  }
}
