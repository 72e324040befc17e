import Foundation
import PackagePlugin

/// `swift package leaks`: runs the tool, which does everything, on the package.
@main
struct LeaksPlugin: CommandPlugin {
  func performCommand(context: PluginContext, arguments: [String]) async throws {
    let process = Process()
    process.executableURL = try context.tool(named: "findleaks").url
    // A scratch path of its own: SwiftPM holds the lock of the other.
    process.arguments =
      [
        "--package-path", context.package.directoryURL.path,
        "--scratch-path", context.pluginWorkDirectoryURL.appending(path: "build").path,
        "--swift", try context.tool(named: "swift").url.path,
      ] + arguments
    try process.run()
    process.waitUntilExit()
    // SwiftPM makes 1 of it, and says what it was.
    exit(process.terminationReason == .exit ? process.terminationStatus : 2)
  }
}
