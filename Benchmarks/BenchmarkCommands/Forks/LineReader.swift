import Foundation

/// The lines of a descriptor, one by one, each as soon as it is there.
package struct LineReader {
  private let descriptor: Int32
  private var bytes: [UInt8] = []

  package init(_ descriptor: Int32) { self.descriptor = descriptor }

  /// Waits for a whole line and returns it without its end; `nil` once there will be no more.
  package mutating func next() -> String? {
    while true {
      if let end = bytes.firstIndex(of: UInt8(ascii: "\n")) {
        let line = String(decoding: bytes[..<end], as: UTF8.self)
        bytes.removeSubrange(...end)
        return line
      }
      guard readMore() else { return nil }
    }
  }

  /// False at the end.
  private mutating func readMore() -> Bool {
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(descriptor, &chunk, chunk.count)
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return false }
      bytes += chunk[..<count]
      return true
    }
  }
}
