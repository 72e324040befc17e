import Foundation

/// Where a history is read from: a file, or standard input for `-`.
struct HistorySource {
  let name: String

  func bytes() throws(CommandError) -> [UInt8] {
    do {
      return [UInt8](try data())
    } catch {
      throw .failed("cannot read \(name.quotedOnOneLine): not a file, or not one for us to read")
    }
  }

  private func data() throws -> Data {
    name == "-"
      ? try FileHandle.standardInput.readToEnd() ?? Data()
      : try Data(contentsOf: URL(fileURLWithPath: name))
  }
}
