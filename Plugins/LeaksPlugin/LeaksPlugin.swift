import Foundation
import PackagePlugin

/// The command `swift package leaks`, which runs `findleaks` on the package.
@main
struct LeaksPlugin: CommandPlugin {
  func performCommand(context: PluginContext, arguments: [String]) async throws {
    let process = Process()
    process.executableURL = try context.tool(named: "findleaks").url
    // A scratch path of its own, because SwiftPM holds the lock of the package's build folder.
    process.arguments =
      [
        "--package-path", context.package.directoryURL.path,
        "--scratch-path", context.pluginWorkDirectoryURL.appending(path: "build").path,
        "--swift", try context.tool(named: "swift").url.path,
      ] + arguments
    try process.run()
    process.waitUntilExit()
    // SwiftPM turns every status except 0 into 1, and prints the original one.
    exit(process.terminationReason == .exit ? process.terminationStatus : 2)
  }
}
